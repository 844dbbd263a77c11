// SPDX-License-Identifier: Apache-2.0
// The page in a browser, opened from the disk: what a reader, a keyboard, a screen reader and a phone
// meet, and what hostile text does not do.
import assert from 'node:assert/strict';
import { readFileSync, truncateSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually, go, launch, open } from './browser.mjs';
import { kHostile, kProvisional, kRepaired, makeSite, overallOf } from './fixture.mjs';

const kPlaces = [
  '#/',
  '#/challenge/challenge_0',
  '#/cell/challenge_0/model-2',
  '#/model/model-1',
  '#/pair/model-0/model-1',
  '#/pair/model-0/model-5',
  '#/nowhere',
];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const column = (page, index) =>
  page.locator(`tbody tr:not(.spacer) > :nth-child(${index})`).allInnerTexts();

/** Opens every fold of the page, those inside others too. */
async function openFolds(page) {
  const closed = page.locator('main details:not([open]) > summary');
  while ((await closed.count()) > 0) {
    await closed.first().click();
    // What is in it is drawn a moment later, and may be folds.
    await page.waitForFunction(() =>
      [...document.querySelectorAll('main details[open]')].every((one) => one.childElementCount > 1),
    );
  }
}

test('opens from the disk without network, and says nothing that it should not', async () => {
  const { page, said, close } = await open(browser, makeSite());
  await eventually(async () => assert.equal(await page.title(), 'Scoreboard · Assay'));
  await eventually(async () => assert.equal((await column(page, 2)).length, 8));
  for (const place of kPlaces) {
    await go(page, place);
  }
  assert.deepEqual(said, []);
  await close();
});

test('sorts by each column, both ways', async () => {
  const { page, close } = await open(browser, makeSite());
  const head = page.locator('thead th', { hasText: 'Challenge 0' });
  const button = head.getByRole('button');
  await eventually(async () => assert.equal(await head.getAttribute('aria-sort'), 'none'));
  await button.click();
  await eventually(async () => assert.equal(await head.getAttribute('aria-sort'), 'descending'));
  const scores = Array.from({ length: 8 }, (_, i) => overallOf(i, 0)).sort((a, b) => b - a);
  await eventually(async () => assert.deepEqual((await column(page, 5)).map(Number.parseFloat), scores));
  await button.click();
  await eventually(async () => assert.equal(await head.getAttribute('aria-sort'), 'ascending'));
  await eventually(async () => assert.deepEqual((await column(page, 5)).map(Number.parseFloat), [...scores].reverse()));
  await close();
});

test('filters by name, challenge, verdict and reconstruction, and says how many are left', async () => {
  const { page, close } = await open(browser, makeSite());
  const status = page.locator('.filters [role=status]');
  await eventually(async () => assert.equal(await status.innerText(), '8 of 8 models'));
  await page.getByLabel('Model', { exact: true }).fill('model 0003');
  await eventually(async () => assert.equal(await status.innerText(), '1 of 8 models'));
  await page.getByLabel('Model', { exact: true }).fill('');
  await page.getByLabel('no reconstructions').check();
  await eventually(async () => assert.equal(await status.innerText(), '4 of 8 models'));
  await page.getByLabel('no reconstructions').uncheck();
  await page.getByRole('combobox', { name: 'Challenge' }).selectOption('Challenge 1');
  await eventually(async () => assert.ok(await page.getByRole('button', { name: 'Correctness' }).isVisible()));
  await page.getByRole('combobox', { name: 'Verdict' }).selectOption('wrong_answer');
  await eventually(async () => assert.equal(await status.innerText(), '2 of 8 models'));
  await close();
});

test('leads from a score down to the case, with the command that repeats it', async () => {
  const { page, close } = await open(browser, makeSite());
  await page.locator('tbody tr', { hasText: 'Model 0002' }).getByRole('link').nth(1).click();
  await page.locator('h1', { hasText: 'Model 0002: Challenge 0' }).waitFor();
  await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1'));
  await page.getByRole('button', { name: 'Row of edges' }).click();
  const evidence = page.locator('.row-evidence');
  await eventually(async () => assert.match(await evidence.innerText(), /Edges\.Nan\s+failed/));
  await eventually(async () => assert.match(await evidence.innerText(), /assay explain model-2\/challenge_0 edges/));
  const cases = page.locator('table', { hasText: 'Cases of the suite' });
  await eventually(async () => assert.equal(await cases.locator('tbody tr').count(), 1)); // Failing ones first.
  await eventually(async () => assert.match(await cases.innerText(), /Edges\.Nan.*3 of 8 differ/s));
  await cases.getByRole('button', { name: 'Edges.Nan' }).click();
  const whole = page.getByRole('region', { name: 'Case Edges.Nan' });
  await eventually(async () => assert.match(await whole.innerText(), /Asked last: backward.*; wrong: dx/));
  await eventually(async () =>
    assert.match(await whole.innerText(), /assay try submissions\/model-2\/challenge_0 --case 'Edges\.Nan' --seed 7/),
  );
  await page.getByText('Cases that failed with sanitizers: 1', { exact: true }).click();
  const sanitized = page.getByRole('region', { name: 'Cases that failed with sanitizers' });
  await eventually(async () => assert.match(await sanitized.innerText(), /Edges\.Nan\s+wrong_answer\s+3 of 8 differ/));
  await page.getByLabel('Show').selectOption('all');
  await eventually(async () => assert.equal(await cases.locator('tbody tr').count(), 3));
  await eventually(async () => assert.match(await page.locator('.commands').innerText(), /assay grade model-2\/challenge_0 --force --seed=7/));
  await page.getByText('Kernel kernel').click();
  await eventually(async () => assert.ok(await page.getByText('dram__bytes_read.sum').isVisible()));
  await close();
});

test('leads from a time down to the ratio of each pair, by run', async () => {
  const { page, close } = await open(browser, makeSite());
  await go(page, '#/cell/challenge_0/model-2');
  await page.getByText('Times: 1 workloads').click();
  const summary = page.getByText('Samples of decode/8x512: 3 runs');
  await summary.click();
  const runs = page.getByRole('region', { name: 'Runs of decode/8x512' });
  await eventually(async () =>
    assert.deepEqual(await runs.locator('tbody tr').allInnerTexts(), [
      '1, after suite\t5\t1.250',
      '2, after sanitized suite\t5\t1.260',
      '3, after own tests\t5\t1.270',
    ]),
  );
  const ratios = page.getByRole('list', { name: 'Ratios of run 2, after sanitized suite' });
  await eventually(async () =>
    assert.deepEqual(await ratios.getByRole('listitem').allInnerTexts(), ['1.237, 1.260, 1.389', '1.244, 1.271']),
  );
  const samples = page.getByRole('region', { name: 'Samples of decode/8x512' });
  await eventually(async () =>
    assert.match(await samples.innerText(), /Time it again.*assay grade model-2\/challenge_0 --force --seed=7/s),
  );
  await eventually(async () => assert.equal(await page.getByText('Samples of refused').count(), 0));
  await page.setViewportSize({ width: 390, height: 844 });
  await eventually(async () =>
    assert.ok(await runs.evaluate((region) => region.scrollWidth <= region.clientWidth), 'a column is out of sight'),
  );
  await page.getByText('Samples of control: 1 run', { exact: true }).click();
  await eventually(async () => assert.ok(await page.getByText('All ratios, block by block:').isVisible()));
  await close();
});

test('of few models any two have edges, whichever of them is asked for first', async () => {
  const { page, close } = await open(browser, makeSite({ allPairs: true }));
  const main = page.locator('main');
  await go(page, '#/pair/model-5/model-0');
  await eventually(async () => assert.match(await main.innerText(), /Model 0000, by 3\.2 ± 1\.1; rows 1 to 1, 1 tied/));
  await eventually(async () => assert.equal(await page.locator('thead th', { hasText: 'Edge' }).count(), 2));
  await eventually(async () => assert.match(await main.innerText(), /Reports have no page of these two/));
  await page.getByLabel('Model A').selectOption('Model 0001');
  await page.locator('tbody tr').first().waitFor();
  await eventually(async () => assert.equal(await page.locator('thead th', { hasText: 'Edge' }).count(), 2));
  await eventually(async () => assert.doesNotMatch(await main.innerText(), /Reports have no page/));
  await close();
});

test('models that share the first rank are all said to be first', async () => {
  const { page, close } = await open(browser, makeSite({ firsts: 2 }));
  const lead = page.locator('main .lead');
  await eventually(async () => assert.match(await lead.innerText(), /^Model 0000, Model 0001 are first with [0-9.]+\.$/));
  await go(page, '#/challenge/challenge_0');
  await eventually(async () =>
    assert.match(await lead.innerText(), /^Model 0000, Model 0001 are first of 8 with [0-9.]+\. 6 of 8 accepted\.$/),
  );
  await close();
});

test('the scoreboard, a challenge and a cell open with what is concluded, exact where it is exact', async () => {
  const { page, close } = await open(browser, makeSite());
  const lead = page.locator('main .lead');
  await eventually(async () => assert.match(await lead.innerText(), /^Model 0000.* is first with [0-9.]+ ± 1\.5\.$/));
  await go(page, '#/challenge/challenge_0');
  await eventually(async () =>
    assert.match(await lead.innerText(), /^Model 0000.* is first of 8 with [0-9.]+ ± 2\.0\. 6 of 8 accepted\.$/),
  );
  await go(page, '#/cell/challenge_0/model-2');
  // 89.9 % is not 90 %, and a score without uncertainty has no ±.
  await eventually(async () => assert.match(await page.locator('main').innerText(), /Measured: 89 % of the weight/));
  assert.match(await page.locator('.dimensions button').first().innerText(), / 80\.0$/);
  await close();
});

test('what a score does not say stands beside it: repairs, verdicts, reconstructions, no rank', async () => {
  const { page, close } = await open(browser, makeSite());
  const name = (index) => `Model 000${index}`;
  const row = (index) => page.locator('tbody tr', { hasText: name(index) });
  await eventually(async () => assert.match(await row(0).innerText(), /\t$/)); // No notes.
  const repaired = /Challenge 0: repaired, wrong_answer; Challenge 1: wrong_answer$/;
  assert.match(await row(kRepaired).innerText(), repaired);
  assert.match(await row(kProvisional).innerText(), /^—.*provisional: a cell has no score$/s);
  await page.getByRole('combobox', { name: 'Challenge' }).selectOption('Challenge 0');
  await eventually(async () => assert.match(await row(kRepaired).innerText(), /Model 0005 † \(repaired\)/));
  assert.match(await page.locator('main').innerText(), /Baseline 99\.0 ± 1\.0; Earlier 99\.0 ± 1\.0 \(of another version/);
  await go(page, '#/challenge/challenge_0');
  await eventually(async () => assert.match(await row(kRepaired).innerText(), /Model 0005 † \(repaired\)/));
  assert.match(await page.locator('main').innerText(), /† A reconstruction: written/);
  await go(page, `#/cell/challenge_0/model-${kRepaired}`);
  await eventually(async () => assert.match(await page.locator('main').innerText(), /-10\.0 penalty: repaired\./));
  await go(page, `#/model/model-${kRepaired}`);
  const cells = page.getByRole('region', { name: 'Its challenges' });
  await eventually(async () => assert.match(await cells.innerText(), /wrong_answer, repaired/));
  await go(page, `#/model/model-${kProvisional}`);
  await eventually(async () => assert.match(await page.locator('main .lead').innerText(), /^Without a rank, on average —/));
  await close();
});

test('a number reads as in reports, and what was counted is exact', async () => {
  const { page, close } = await open(browser, makeSite());
  await go(page, '#/cell/challenge_0/model-2');
  const criteria = page.getByRole('region', { name: 'All criteria' });
  await eventually(async () => assert.match(await criteria.innerText(), /Row of readme ‡\s+60 %\s+31\.2\s/)); // 31.25.
  await page.getByText('Kernel kernel').click();
  const counters = page.getByRole('region', { name: 'Counters on the emulated A GPU' });
  await eventually(async () => assert.match(await counters.innerText(), /dram__bytes_read\.sum\s+131072/));
  await go(page, '#/challenge/challenge_0');
  const curve = page.locator('figure', { hasText: 'Error against offset' });
  await curve.getByText('The same as a table').click();
  await eventually(async () => assert.match(await curve.locator('details').innerText(), /0\.01 at 131072/));
  await close();
});

test('intervals of times sort by where they begin', async () => {
  const { page, close } = await open(browser, makeSite());
  await go(page, '#/cell/challenge_0/model-2');
  await page.getByText('Times: 1 workloads').click();
  const controls = page.getByRole('region', { name: 'The baseline against itself' });
  await controls.getByRole('button', { name: '95 % interval' }).click();
  await eventually(async () =>
    assert.deepEqual(await controls.locator('tbody th').allInnerTexts(), [0.99, 0.95, 0.905].map((low) => `control from ${low}`)),
  );
  await close();
});

test('a model opens with its rank and average, and says how to explain them', async () => {
  const { page, close } = await open(browser, makeSite());
  await go(page, '#/model/model-1');
  await eventually(async () => assert.match(await page.locator('main .lead').innerText(), /^Rank \d+.* of 8.*, on average /));
  assert.match(await page.locator('main').innerText(), /assay explain model-1/);
  await close();
});

test('a model says what is strong, weak and wrong in each cell, and leads to the evidence of each row', async () => {
  const { page, close } = await open(browser, makeSite());
  await go(page, '#/model/model-1');
  const section = page.getByRole('region', { name: 'Challenge 1', exact: true });
  await section.waitFor();
  assert.match(
    await section.innerText(),
    /Does not build as handed in: 3 of 8\s+wrong_answer: 3 of 8\s+Like the known bug 3 of 8 \(likely\)\s+2 cases that no known bug explains\s+Strengths/,
  );
  assert.deepEqual(
    (await section.locator('.highlights li').allInnerTexts()).map((one) => one.replace(/\s+/g, ' ')),
    ['+4.2 Row of edges: 3 of 8', '+1.2 Row of readme ‡: 3 of 8', '-3.2 Row of precision: 3 of 8'],
  );
  const summary = page.locator('table', { hasText: 'Its challenges' }).locator('tbody tr').first();
  assert.match(await summary.innerText(), /Speed \(91\.0\)\s+—/);
  await section.getByRole('link', { name: 'Row of precision' }).click();
  await page.locator('h1', { hasText: 'Model 0001: Challenge 1' }).waitFor();
  const evidence = page.locator('.row-evidence');
  await eventually(async () => assert.match(await evidence.innerText(), /^Row of precision/));
  await eventually(async () =>
    assert.ok(await evidence.evaluate((one) => one.getBoundingClientRect().top < window.innerHeight), 'out of sight'),
  );
  await close();
});

test('shows edges of a pair that reports show, and says why another has none', async () => {
  const { page, close } = await open(browser, makeSite());
  await go(page, '#/pair/model-0/model-1');
  await eventually(async () => assert.match(await page.locator('main').innerText(), /Model 0000, by 3\.2 ± 1\.1; rows 1 to 1, 1 tied/));
  assert.match(
    await page.locator('main .lead').innerText(),
    /Model 0000 wins 2-0: Model 0000 70\.2, Model 0001 67\.0 on average, margin \+3\.2 ± 0\.8\.$/,
  );
  await eventually(async () => assert.equal(await page.locator('thead th', { hasText: 'Edge' }).count(), 2));
  await page.getByLabel('Model B').selectOption('Model 0005');
  await page.getByText('No edges stand here for these two: of more than 40 models').waitFor();
  await eventually(async () => assert.match(await page.locator('main').innerText(), /assay compare model-0 model-5/));
  await eventually(async () => assert.equal(await page.locator('thead th', { hasText: 'Edge' }).count(), 0));
  await page.locator('tbody tr').first().waitFor();
  await close();
});

test('a pair says the winner first, who may be behind on average, and what is undecided', async () => {
  const { page, close } = await open(browser, makeSite());
  await go(page, '#/pair/model-1/model-2');
  const main = page.locator('main');
  await eventually(async () => assert.match(await main.innerText(), /Model 0002, by 3\.2 ± 1\.1; rows 2 to 1, 1 tied/));
  assert.match(
    await page.locator('main .lead').innerText(),
    /^Model 0002 wins 2-0: Model 0001 70\.2, Model 0002 67\.0 on average, margin -3\.2 ± 0\.8; undecided: 1\.$/,
  );
  await eventually(async () => assert.match(await main.innerText(), /Model 0002 94\.9 ± 2\.0, wrong_answer/));
  await close();
});

test('another model of a pair is chosen without losing the focus', async () => {
  const { page, close } = await open(browser, makeSite());
  await go(page, '#/pair/model-0/model-1');
  const choice = page.getByLabel('Model B');
  await choice.focus();
  await choice.selectOption('Model 0005');
  await eventually(async () => assert.match(await page.title(), /Model 0005/));
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'SELECT');
  await close();
});

test('hostile text is text: no element, no dialog, no request comes of it', async () => {
  const { page, said, close } = await open(browser, makeSite({ hostile: true }));
  await eventually(async () => assert.ok(await page.getByText(kHostile[0], { exact: true }).first().isVisible()));
  for (const place of [...kPlaces, '#/model/model-0', '#/cell/challenge_0/model-0']) {
    await go(page, place);
    await openFolds(page);
    await eventually(async () => assert.equal(await page.locator('main :is(img, script, iframe, object)').count(), 0, place));
    await eventually(async () => assert.equal(await page.locator('main svg[onload], main a[href^="javascript:"]').count(), 0, place));
  }
  await page.getByRole('button', { name: 'Row of edges' }).click();
  await eventually(async () => assert.match(await page.locator('.row-evidence').innerText(), /<img src=x onerror=alert\(1\)>/));
  assert.deepEqual(said, []);
  await close();
});

/** Its own policy would stop a script that got in all the same. */
test('the page forbids scripts that do not lie beside it', async () => {
  const { page, said, close } = await open(browser, makeSite());
  await page.evaluate(() => {
    const image = document.createElement('div');
    image.innerHTML = '<img src=x onerror="window.ran = true">';
    document.body.append(image);
  });
  await page.waitForTimeout(200);
  await eventually(async () => assert.equal(await page.evaluate(() => window.ran), undefined));
  assert.ok(said.some((one) => one.includes('Content Security Policy')));
  await close();
});

test('a number that is not there is said in words', async () => {
  const { page, close } = await open(browser, makeSite({ models: 8, cells: 2 }));
  await page.evaluate(() => {
    location.hash = '#/cell/challenge_0/model-7';
  });
  await page.getByRole('alert').waitFor();
  await eventually(async () => assert.match(await page.getByRole('alert').innerText(), /data\/cells\/challenge_0\/model-7\.js is not there.*assay site/));
  await close();
});

test('a file of data that was cut off is said in words', async () => {
  const site = makeSite();
  truncateSync(fileURLToPath(new URL('data/cells/challenge_0/model-2.js', site)), 100);
  const { page, close } = await open(browser, site);
  await page.evaluate(() => {
    location.hash = '#/cell/challenge_0/model-2';
  });
  await page.getByRole('alert').waitFor();
  assert.match(await page.getByRole('alert').innerText(), /data\/cells\/challenge_0\/model-2\.js is broken: write the site again/);
  await close();
});

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing on any page, ${colorScheme}`, async () => {
    const { page, close } = await open(browser, makeSite(), { colorScheme, bypassCSP: true });
    for (const place of kPlaces) {
      await go(page, place);
      await openFolds(page);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      const found = violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).slice(0, 3).join(' ')}`);
      assert.deepEqual(found, [], place);
    }
    await close();
  });
}

test('no page is wider than a phone', async () => {
  const site = makeSite({ hostile: true });
  const { page, close } = await open(browser, site, { viewport: { width: 390, height: 844 } });
  for (const place of kPlaces) {
    await go(page, place);
    await openFolds(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${place} is ${width} wide`);
  }
  await close();
});

test('on a phone pictures are seen whole, in letters that can be read', async () => {
  const { page, close } = await open(browser, makeSite(), { viewport: { width: 390, height: 844 } });
  await go(page, '#/challenge/challenge_0');
  await eventually(async () => {
    const pictures = await page.locator('.picture svg').evaluateAll((all) =>
      all.map((svg) => ({
        texts: [...svg.querySelectorAll('text')].map((text) => {
          const { left, right } = text.getBoundingClientRect();
          return { says: text.textContent, left, right };
        }),
        size: (Number.parseFloat(getComputedStyle(svg.querySelector('text')).fontSize) * svg.clientWidth) / svg.viewBox.baseVal.width,
        outer: svg.getBoundingClientRect().toJSON(),
      })),
    );
    assert.equal(pictures.length, 4);
    for (const { texts, size, outer } of pictures) {
      assert.ok(outer.right <= 390, `a picture ends at ${outer.right}`);
      assert.ok(size >= 11, `letters of ${size} pixels`);
      for (const text of texts) {
        assert.ok(text.left >= outer.left && text.right <= outer.right, `${text.says} is cut`);
      }
    }
  });
  await close();
});

test('a picture follows the width of the page', async () => {
  const { page, close } = await open(browser, makeSite());
  await go(page, '#/challenge/challenge_0');
  const width = () => page.locator('.picture svg').first().evaluate((svg) => svg.viewBox.baseVal.width);
  await eventually(async () => assert.equal(await width(), 860));
  await page.setViewportSize({ width: 500, height: 844 });
  await eventually(async () => assert.equal(await width(), 460));
  await close();
});

test('on a phone no row of a ranking is higher than what is in sight of it', async () => {
  const { page, close } = await open(browser, makeSite(), { viewport: { width: 390, height: 844 } });
  await go(page, '#/challenge/challenge_1'); // In the first a name has a mark, for which there is no room beside it.
  const rows = page.getByRole('region', { name: 'Ranking' }).locator('tbody tr');
  const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
  assert.equal(heights.length, 8);
  assert.ok(Math.max(...heights) - Math.min(...heights) <= 1, heights.join(', '));
  await close();
});

test('the keyboard alone reaches a cell', async () => {
  const { page, close } = await open(browser, makeSite());
  const isThere = () => page.evaluate(() => document.activeElement.getAttribute('href') === '#/cell/challenge_0/model-0');
  let presses = 0;
  while (!(await isThere()) && presses < 60) {
    await page.keyboard.press('Tab');
    presses += 1;
  }
  await eventually(async () => assert.ok(await isThere()));
  await page.keyboard.press('Enter');
  await page.locator('h1', { hasText: 'Model 0000: Challenge 0' }).waitFor();
  await page.goBack();
  await page.locator('h1', { hasText: 'Scoreboard' }).waitFor();
  await close();
});

test('a mark of a picture says its numbers to the mouse and to the keyboard', async () => {
  const { page, close } = await open(browser, makeSite());
  await go(page, '#/challenge/challenge_0');
  const figure = page.locator('figure', { hasText: 'Times over' });
  const mark = figure.locator('.mark').first();
  const words = await mark.getAttribute('aria-label');
  assert.match(words, /Model 0000 \(untrusted\), decode\/8x512 1 times the baseline, 0\.9 to 1\.2/);
  await mark.hover();
  await eventually(async () => assert.match(await figure.locator('.said').innerText(), /decode\/8x512 1 times the baseline/));
  await figure.locator('.mark').nth(1).focus();
  await eventually(async () => assert.match(await figure.locator('.said').innerText(), /prefill/));
  await close();
});

test('of a thousand models those in sight are in the page, and all can be reached', async () => {
  const { page, said, close } = await open(browser, makeSite({ models: 1000, challenges: 8, cells: 1 }));
  const table = page.locator('table').first();
  await eventually(async () => assert.equal(await table.getAttribute('aria-rowcount'), '1001'));
  await eventually(async () => assert.ok((await table.locator('tbody tr').count()) < 80));
  await page.locator('.window').evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await page.getByText('Model 0999').waitFor();
  await page.locator('thead th', { hasText: 'Model' }).getByRole('button').click();
  await page.getByText('Model 0000', { exact: true }).waitFor(); // From the top again.
  assert.deepEqual(said, []);
  await close();
});

test('rows of many cases are of one height, and a case opens with all its words', async () => {
  const { page, close } = await open(browser, makeSite());
  await go(page, '#/cell/challenge_0/model-3');
  const rows = page.locator('.window tbody tr:not(.spacer)');
  const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
  assert.ok(heights.length > 10 && heights.length < 80);
  for (const height of heights) {
    assert.ok(Math.abs(height - 38) <= 1, `${height}`);
  }
  await page.getByRole('button', { name: 'Many.Case1', exact: true }).click();
  await eventually(async () => assert.match(await page.locator('.row-evidence').innerText(), /a long detail\s+of case 1\b/));
  await close();
});

// What `assay site` made of the evidence in the repository.
test('every page of the real site opens', { skip: !process.env.SITE && 'SITE names no site' }, async () => {
  const { page, said, close } = await open(browser, `file://${join(process.env.SITE, 'index.html')}`);
  const board = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const before = window.assaySiteData;
        window.assaySiteData = (name, text) => {
          window.assaySiteData = before;
          resolve(JSON.parse(text));
        };
        const script = document.createElement('script');
        script.src = 'data/board.js';
        document.head.append(script);
      }),
  );
  assert.ok(board.standings.length > 0);
  const places = [
    ...board.challenges.map((one) => `#/challenge/${one.id}`),
    ...board.challenges.flatMap((one) => one.cells.map((cell) => `#/cell/${one.id}/${cell.model}`)),
    ...board.standings.map((one) => `#/model/${one.model}`),
    ...board.pairs.map(([a, b]) => `#/pair/${a}/${b}`),
  ];
  for (const place of places) {
    await go(page, place);
    await eventually(async () => assert.equal(await page.getByRole('alert').count(), 0, place));
    await eventually(async () => assert.ok(!(await page.title()).startsWith('No such page'), place));
  }
  assert.deepEqual(said, []);
  await close();
});
