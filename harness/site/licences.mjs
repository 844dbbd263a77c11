// SPDX-License-Identifier: Apache-2.0
// Packages seldom keep a comment with their licence in what is bundled: the files themselves are
// put together, of every package that the page depends on.
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

async function packagesOf(names, found = new Map()) {
  for (const name of names) {
    if (!found.has(name)) {
      const folder = join('node_modules', name);
      const description = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      found.set(name, { folder, description });
      await packagesOf(Object.keys(description.dependencies ?? {}), found);
    }
  }
  return found;
}

/** Writes `file`: each package, its version, and its licence. A package without one is an error. */
export async function licences(file) {
  const page = JSON.parse(await readFile('package.json', 'utf8'));
  const found = await packagesOf(Object.keys(page.dependencies));
  let text = 'app.js is made of Assay (Apache-2.0) and of these packages.\n';
  for (const [name, { folder, description }] of [...found].sort()) {
    const licence = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
    if (!licence) {
      throw new Error(`${name} has no file with its licence`);
    }
    text += `\n--- ${name} ${description.version} (${description.license})\n\n`;
    text += await readFile(join(folder, licence), 'utf8');
  }
  await writeFile(file, text);
}
