import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createStatusLine } from '../../../src/cli/command/status-line.ts';

function terminal(isTTY: boolean) {
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  return { io: { stderr, env: {} }, written: () => String(stderr.read()) };
}

test('a message above the line takes the line away first and draws it again', () => {
  const { io, written } = terminal(true);
  const line = createStatusLine(io, { quiet: false });
  line.set('1/39 disputes');
  line.writeAbove(() => io.stderr.write('rate limited\n'));
  line.set(null);
  expect(written()).toBe('1/39 disputes\r\u001b[Krate limited\n1/39 disputes\r\u001b[K');
});

test('nothing but the messages is written where there is no terminal', () => {
  const { io, written } = terminal(false);
  const line = createStatusLine(io, { quiet: false });
  line.set('1/39 disputes');
  line.writeAbove(() => io.stderr.write('rate limited\n'));
  line.set(null);
  expect(written()).toBe('rate limited\n');
});
