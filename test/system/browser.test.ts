import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
});

afterAll(() => browser.close());

/** A word of a picture as the browser shows it, in pixels. */
interface ShownWord {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  /** How much wider it is drawn than its letters are. */
  readonly stretch: number;
}

test.each(['light', 'dark'])('the columns of the %s pictures of the README stand right', async (theme) => {
  const page = await browser.newPage();
  for (const file of readdirSync('docs/pictures').filter((name) => name.endsWith(`-${theme}.svg`))) {
    await page.goto(pathToFileURL(path.resolve('docs/pictures', file)).href);
    const words = await page.evaluate<ShownWord[]>(`[...document.querySelectorAll('tspan')].map((word) => {
      const { x, y } = word.getBoundingClientRect();
      const drawn = word.getComputedTextLength();
      word.removeAttribute('textLength');
      return { text: word.textContent, left: x, top: y, stretch: drawn / word.getComputedTextLength() };
    })`);

    expect(words.length).toBeGreaterThan(40);
    // Fonts differ by some percent; text whose spaces have collapsed, by much more.
    const stretched = words.filter(({ stretch }) => stretch < 0.8 || stretch > 1.25);
    expect(stretched, file).toEqual([]);
    if (file.startsWith('restore')) expectColumns(words);
  }
  await page.close();
});

/** The ids of the history stand below one heading, their results below another. */
function expectColumns(words: readonly ShownWord[]): void {
  const heading = (text: string) => words.filter((word) => word.text === text).at(-1);
  const [operation, result] = [heading('OPERATION'), heading('RESULT')];
  const below = words.filter(({ top }) => top > (operation?.top ?? Number.POSITIVE_INFINITY));
  const leftOf = (pattern: RegExp) =>
    below.filter(({ text }) => pattern.test(text)).map(({ left }) => Math.round(left));
  const operations = leftOf(/^(backup|store)\.\w+$/);
  const results = leftOf(/^(✓|undone)$/);
  expect(operations).toEqual(Array(4).fill(Math.round(operation?.left ?? 0)));
  expect(results).toEqual(Array(4).fill(Math.round(result?.left ?? 0)));
}

test.each(['light', 'dark'] as const)('/docs is a reference of all operations (%s)', async (colorScheme) => {
  const { origin } = await startService();
  const page = await browser.newPage({ colorScheme });
  const complaints = listenForComplaints(page, origin);

  await page.goto(`${origin}/docs`);
  await page.getByText('Store Management Service').first().waitFor();
  expect(await page.evaluate('getComputedStyle(document.querySelector("rapi-doc")).backgroundColor')).toBe(
    colorScheme === 'dark' ? 'rgb(13, 17, 23)' : 'rgb(255, 255, 255)',
  );
  // In the list of operations, and readable on its background.
  const method = `document.querySelector("rapi-doc").shadowRoot.querySelector('[id="link-patch-/v1/stores/-storeId-"] .patch')`;
  await page.locator('[id="link-patch-/v1/stores/-storeId-"]').waitFor();
  expect(await page.evaluate(`getComputedStyle(${method}).color`)).toBe(
    colorScheme === 'dark' ? 'rgb(227, 179, 65)' : 'rgb(125, 78, 0)',
  );
  const operation = page.locator('[id="link-post-/v1/stores/-storeId-/operations/backups"]');
  await operation.click();

  await page.waitForURL(/#post-/);
  const shown = page.locator('[id="post-/v1/stores/-storeId-/operations/backups"]');
  await shown.getByText('At most 64 KiB').waitFor();
  await shown.getByText('Sections to back up').waitFor();
  await shown.getByText('1 to 120 chars').waitFor();
  await shown.getByText('Idempotency-Replayed').last().waitFor();
  await shown
    .getByRole('button', { name: '429' })
    .or(shown.getByText('429', { exact: true }))
    .click();
  await shown.getByText('Retry-After').first().waitFor();
  const update = page.locator('[id="patch-/v1/stores/-storeId-"]');
  await update.getByText('email┃null').first().waitFor();
  await update.getByText('Time zone of the store, for example Europe/Berlin').first().waitFor();
  expect(complaints).toEqual([]);
  await page.close();
});

/** What the console says, and requests that fail or go elsewhere. */
function listenForComplaints(page: Page, origin: string): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:'))
      complaints.push(`sent to ${request.url()}`);
  });
  return complaints;
}
