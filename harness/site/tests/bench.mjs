// SPDX-License-Identifier: Apache-2.0
// How long a site of 1,000 models in 8 challenges takes to open and to sort: a benchmark, not a test.
import { launch, open } from './browser.mjs';
import { makeSite } from './fixture.mjs';

const kTimes = 7;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const browser = await launch();
const site = makeSite({ models: 1000, challenges: 8, cells: 1 });
const opened = [];
const sorted = [];
for (let i = 0; i < kTimes; ++i) {
  const { page, close } = await open(browser, site);
  await page.locator('tbody tr:not(.spacer)').first().waitFor();
  // From the beginning of the navigation to the frame in which the table is painted.
  opened.push(
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          const wait = () => {
            const [mark] = performance.getEntriesByName('assay-board');
            if (mark) {
              resolve(mark.startTime);
            } else {
              requestAnimationFrame(wait);
            }
          };
          wait();
        }),
    ),
  );
  for (const title of ['Average', 'Challenge 3', 'Model']) {
    const button = page.locator('thead th', { hasText: title }).first().getByRole('button');
    sorted.push(
      await button.evaluate(
        (element) =>
          new Promise((resolve) => {
            const start = performance.now();
            element.click();
            requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)));
          }),
      ),
    );
  }
  await close();
}
await browser.close();
console.log(`open: ${median(opened).toFixed(0)} ms; sort, to the second frame after it: ${median(sorted).toFixed(0)} ms`);
console.log(`(medians of ${kTimes} and ${sorted.length}; 1,000 models, 8 challenges)`);
