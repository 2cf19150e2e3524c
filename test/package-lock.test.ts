import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '..');

test('package-lock.json names no registry', () => {
  const lock = readFileSync(path.join(root, 'package-lock.json'), 'utf8');

  expect(lock).not.toContain('"resolved"');
  expect(lock).not.toContain('registry.');
});
