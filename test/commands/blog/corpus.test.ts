import { cpSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tables } from '../../helpers/bulk.ts';
import { setScene } from '../../helpers/scene.ts';

/** What becomes of a file. */
interface Expected {
  readonly status?: 'published' | 'draft' | 'scheduled';
  readonly publishedAt?: string;
  readonly scheduledAt?: string;
  readonly slug?: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly excerpt?: string;
  /** A part of the reason, and the line. */
  readonly invalid?: string;
  readonly line?: number | null;
  readonly skipped?: true;
}

const corpus = path.join(import.meta.dirname, 'corpus');
const expected: Record<string, Expected> = JSON.parse(
  readFileSync(path.join(corpus, 'expected.json'), 'utf8'),
);
const entries = Object.entries(expected);

const args = ['blog', 'create', '**/*.{md,mdx,markdown}'];
const flags = ['--status', 'published', '--skip-invalid', '--slug-prefix', 'x-'];

test('files of many blog programs: what is public is published with its date, what is not is a draft, and nothing else goes in', async () => {
  const { service, machine } = await setScene();
  cpSync(corpus, machine.folder, { recursive: true });
  const before = Date.now();

  const result = await machine.run([...args, ...flags, '--json']);

  expect(result.exitCode).toBe(2);
  const documents: Record<string, unknown>[] = JSON.parse(result.stdout);
  expect(documents.map(({ file }) => file).sort()).toEqual(entries.map(([file]) => file).sort());
  const { posts } = await tables(service);
  for (const [file, { invalid, line, skipped, ...post }] of entries) {
    const document = documents.find((one) => one.file === file);
    const found = posts.find(({ slug }) => slug === (post.slug ?? document?.slug));
    if (skipped) expect(document, file).toMatchObject({ outcome: 'skipped', code: 'no_content' });
    else if (invalid !== undefined) {
      expect(document, file).toMatchObject({ outcome: 'failed', code: 'invalid_file', line });
      expect(document?.message, file).toContain(invalid);
      expect(found, file).toBeUndefined();
    } else {
      const { excerpt: _, tags, publishedAt, ...stored } = post;
      expect(document, file).toMatchObject({ outcome: 'applied', slug: post.slug });
      expect(found, file).toMatchObject({ ...stored, scheduledAt: post.scheduledAt ?? null });
      if (tags !== undefined) expect(JSON.parse(String(found?.tags)), file).toEqual(tags);
      if (publishedAt !== undefined) expect(found?.publishedAt, file).toBe(publishedAt);
      else if (post.status === 'published')
        expect(Date.parse(String(found?.publishedAt)), file).toBeGreaterThanOrEqual(before);
      else expect(found?.publishedAt, file).toBeNull();
      // Byte for byte: what follows the front matter is the end of the file.
      const text = readFileSync(path.join(corpus, file), 'utf8');
      expect(text.endsWith(String(found?.contentMd)), file).toBe(true);
      expect(found?.contentMd, file).not.toMatch(/^(?:---|\+\+\+|\{\s*"|title:)/);
    }
  }
  const created = entries.filter(([, { slug }]) => slug !== undefined).length;
  expect(posts.filter(({ slug }) => slug.startsWith('x-'))).toHaveLength(created);
});

test('the same command sends nothing again, in another time zone and a day later', async () => {
  const { proxy, machine } = await setScene();
  cpSync(corpus, machine.folder, { recursive: true });
  await machine.run([...args, ...flags]);
  const sent = proxy.writes().length;
  expect(sent).toBeGreaterThan(40);

  await machine.run([...args, ...flags]);
  await machine.run([...args, ...flags, '--timezone', 'Pacific/Auckland']);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const later = await machine.run([...args, ...flags]);

  expect(later.exitCode).toBe(2);
  expect(later.stderr).toContain(`${sent} already created`);
  expect(proxy.writes()).toHaveLength(sent);
});

test('the corpus keeps the lines and marks that programs write', () => {
  const bytes = (file: string) => readFileSync(path.join(corpus, file));
  expect(bytes('wordpress/bom.md').subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  expect(bytes('jekyll/_posts/2019-09-09-windows.md').toString()).toContain('\r\n');
  expect(entries.length).toBeGreaterThanOrEqual(60);
  expect(entries.every(([file]) => statSync(path.join(corpus, file)).isFile())).toBe(true);
});
