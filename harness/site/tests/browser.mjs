// SPDX-License-Identifier: Apache-2.0
// Debian's chromium without a window, and pages in it that must stay quiet.
import { chromium } from 'playwright-core';

export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });

/**
 * Opens `address` without network. `said` fills with all that should not be: errors, what the console
 * says, dialogs, and requests that leave the disk.
 */
export async function open(browser, address, options = {}) {
  const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const said = [];
  page.on('pageerror', (error) => said.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      said.push(`console: ${message.text()}`);
    }
  });
  page.on('dialog', async (dialog) => {
    said.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) {
      said.push(`request: ${request.url()}`);
    }
  });
  await page.goto(address);
  await page.locator('h1').waitFor();
  return { page, said, close: () => context.close() };
}

/** Goes to `#/…` of the page and waits for what it loads. */
export async function go(page, place) {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, place);
  await page.waitForFunction(() => document.querySelector('h1') && !/Loading…/.test(document.querySelector('main').innerText));
}

/**
 * What a click brings is drawn a moment later, on a machine with other work long after the click: asks
 * again until `check` throws no more, or for five seconds.
 */
export async function eventually(check) {
  const end = Date.now() + 5000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
