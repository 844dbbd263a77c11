// SPDX-License-Identifier: Apache-2.0
// node build.mjs OUT: the page, as `assay site` copies it: index.html, app.css, app.js, and the
// licences of what app.js is bundled from.
import { build } from 'esbuild';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

const out = process.argv[2];
if (!out) {
  console.error('usage: node build.mjs OUT');
  process.exit(2);
}
await mkdir(out, { recursive: true });
await build({
  entryPoints: ['src/app.tsx'],
  outfile: join(out, 'app.js'),
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2020',
  charset: 'utf8',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
});
for (const file of ['index.html', 'app.css']) {
  await copyFile(join('src', file), join(out, file));
}
const { licences } = await import('./licences.mjs');
await licences(join(out, 'app.js.LEGAL.txt'));
