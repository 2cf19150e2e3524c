import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SourceFile } from '../helpers/imports.ts';
import { findViolations } from './violations.ts';

describe('the check of the architecture finds', () => {
  const good: readonly SourceFile[] = [
    { file: 'src/contract/store.ts', text: `import * as z from 'zod';` },
    { file: 'src/client/client.ts', text: `import { store } from '../contract/store.ts';` },
    { file: 'src/history/journal.ts', text: `import { call } from '../client/client.ts';` },
    { file: 'src/cli/main.ts', text: `import { openHistory } from '../history/journal.ts';` },
    {
      file: 'src/cli/program/command-tree.ts',
      text: `const load = () => import('../../commands/backup/create.ts');`,
    },
    {
      file: 'src/cli/command/demo-service.ts',
      text: `import type { Example } from '../../service/index.ts';`,
    },
    { file: 'src/commands/backup/create.ts', text: `import { main } from '../../cli/main.ts';` },
    {
      file: 'src/commands/service/start/start.ts',
      text: `import { listen } from '../../../service/index.ts';`,
    },
    { file: 'src/service/index.ts', text: `import { store } from '../contract/store.ts';` },
    { file: 'src/commands/backup/for-others.ts', text: `export { command } from './create.ts';` },
    { file: 'src/commands/undo.ts', text: `import { command } from './backup/for-others.ts';` },
  ];

  test('nothing in an example that is right', () => {
    expect(findViolations(good)).toEqual([]);
  });

  test.each([
    ['src/base/json.ts', `import { store } from '../contract/store.ts';`],
    ['src/contract/blog.ts', `import type { call } from '../client/client.ts';`],
    ['src/client/call.ts', `const journal = await import('../history/journal.ts');`],
    ['src/history/record.ts', `import {\n  main,\n  other,\n} from '../cli/main.ts';`],
    ['src/cli/output.ts', `import '../commands/backup/create.ts';`],
    ['src/cli/program/command-tree.ts', `import { command } from '../../commands/backup/create.ts';`],
    ['src/cli/command/demo-service.ts', `import { listen } from '../../service/index.ts';`],
    ['src/cli/main.ts', `const service = await import('../service/index.ts');`],
    ['src/commands/backup/restore.ts', `import { listen } from '../../service/index.ts';`],
    ['src/commands/blog/create.ts', `import { command } from '../backup/create.ts';`],
    ['src/commands/undo.ts', `const backup = await import('./backup/create.ts');`],
    ['src/service/app.ts', `import { call } from '../client/client.ts';`],
    ['src/commands/service/emit.ts', `import { db } from '../../../service/storage/schema.ts';`],
    ['src/commands/blog/create.ts', `import { request } from 'undici';`],
    ['src/cli/result.ts', `const table = await import('cli-table3');`],
    ['src/cli/input.ts', `import left from 'left-pad';`],
    ['src/cli/input.ts', `if (wrong) process.exit(1);`],
    ['src/service/log.ts', `console.error('oh');`],
    ['src/client/proxy.ts', `const proxy = process.env.HTTPS_PROXY;`],
    ['src/cli/operation/send/send.ts', `import { describeFailure } from '../../output/failure-text.ts';`],
    ['src/commands/backup/restore.ts', `import { describeFailure } from '../../cli/output/failure-text.ts';`],
    ['src/cli/prompts/editor.ts', `import { describeFailure } from '../output/failure-text.ts';`],
    ['src/cli/prompts/ask.ts', `import type { Session } from '../command/session.ts';`],
    ['src/history/changes/send.ts', `if (operation === 'blog.create') return;`],
    ['src/cli/batch/end-batch.ts', `const reason = error.message.replace('; nothing was sent', '');`],
    ['src/commands/resume/describe.ts', `if (failure.what.includes('timed out')) return;`],
    ['src/cli/long.ts', 'const line = 1;\n'.repeat(301)],
  ])('%s: %s', (file, text) => {
    const others = good.filter((source) => source.file !== file);
    expect(findViolations([...others, { file, text }])).toEqual([expect.stringContaining(file)]);
  });

  test.each([
    ['types', `import type { B } from './b.ts';`],
    ['values', `import { b } from './b.ts';`],
    ['loading on demand', `const b = () => import('./b.ts');`],
  ])('a circle of files, by %s', (_, text) => {
    const circle = [
      { file: 'src/history/a.ts', text },
      { file: 'src/history/b.ts', text: `export { c } from './c.ts';` },
      { file: 'src/history/c.ts', text: `import { a } from './a.ts';` },
    ];

    expect(findViolations(circle)).toEqual([
      'circle of files: src/history/a.ts -> src/history/b.ts, src/history/b.ts -> src/history/c.ts, src/history/c.ts -> src/history/a.ts',
    ]);
  });

  test('a circle of folders, with the files that make it', () => {
    const circle = [
      { file: 'src/service/storage/core/query.ts', text: `import { run } from '../embedded/run.ts';` },
      { file: 'src/service/storage/embedded/run.ts', text: '' },
      { file: 'src/service/storage/embedded/open.ts', text: `import type { Row } from '../core/row.ts';` },
      { file: 'src/service/storage/core/row.ts', text: '' },
    ];

    expect(findViolations(circle)).toEqual([
      'circle of folders: src/service/storage/core/query.ts -> src/service/storage/embedded/run.ts, src/service/storage/embedded/open.ts -> src/service/storage/core/row.ts',
    ]);
  });

  test('a circle between a folder and the files beside it', () => {
    const circle = [
      { file: 'src/contract/operations.ts', text: `import { blog } from './operations/blog.ts';` },
      { file: 'src/contract/operations/blog.ts', text: `import type { Field } from '../fields.ts';` },
      { file: 'src/contract/fields.ts', text: '' },
    ];

    expect(findViolations(circle)).toEqual([
      'circle of folders: src/contract/operations.ts -> src/contract/operations/blog.ts, src/contract/operations/blog.ts -> src/contract/fields.ts',
    ]);
  });

  test('a circle of folders with all that is in them', () => {
    const circle = [
      { file: 'src/history/journal/open.ts', text: `import { sent } from '../changes/send/sent.ts';` },
      { file: 'src/history/changes/send/sent.ts', text: '' },
      { file: 'src/history/changes/undo.ts', text: `import { line } from '../journal/lines/line.ts';` },
      { file: 'src/history/journal/lines/line.ts', text: '' },
    ];

    expect(findViolations(circle)).toEqual([
      'circle of folders: src/history/journal/open.ts -> src/history/changes/send/sent.ts, src/history/changes/undo.ts -> src/history/journal/lines/line.ts',
    ]);
  });

  test.each([
    ['cli/core', 'cli/output'],
    ['cli/operation/send', 'cli/operation/questions'],
    ['service/storage/core', 'service/admin'],
    ['service/operations', 'service/http'],
  ])('an import from %s to %s', (own, other) => {
    const files = [
      {
        file: `src/${own}/one.ts`,
        text: `import type { Two } from '${path.posix.relative(own, other)}/two.ts';`,
      },
      { file: `src/${other}/two.ts`, text: '' },
    ];

    expect(findViolations(files)).toEqual([
      expect.stringMatching(new RegExp(`^src/${own}/one.ts .* must not import src/${other}/two.ts`)),
    ]);
  });

  test('a name that two files export', () => {
    const files = [
      { file: 'src/client/outcome.ts', text: 'export interface Problem {}\n' },
      { file: 'src/service/http/problem.ts', text: 'export type Problem = string;\n' },
      { file: 'src/commands/undo.ts', text: 'export const command = {};\n' },
      { file: 'src/commands/backup/create.ts', text: 'export const command = {};\n' },
      { file: 'src/contract/operations/store.ts', text: 'export const showStore = {};\n' },
      { file: 'src/service/operations/stores.ts', text: 'export async function showStore() {}\n' },
    ];

    expect(findViolations(files)).toEqual([
      'Problem means one thing in src/client/outcome.ts, another in src/service/http/problem.ts',
    ]);
  });

  test('a folder with too many entries', () => {
    const files = Array.from({ length: 14 }, (_, index) => ({
      file: `src/client/file-${index}.ts`,
      text: '',
    }));

    expect(findViolations(files)).toEqual([]);
    expect(findViolations([...files, { file: 'src/client/deep/one.ts', text: '' }])).toEqual([
      'src/client has 15 entries, more than 14',
    ]);
  });
});
