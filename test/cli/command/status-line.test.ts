import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createStatusLine } from '../../../src/cli/command/status-line.ts';

function terminal(isTTY: boolean, env: Readonly<Record<string, string>> = {}) {
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  return {
    io: { stderr, env, signal: new AbortController().signal },
    written: () => readAll(stderr),
  };
}

const wait = { what: 'api.example.com', seconds: 3 };

test('a message above the line takes the line away first and draws it again', () => {
  const { io, written } = terminal(true);
  const line = createStatusLine(io, false);
  line.setBar('1/39 disputes');
  line.writeAbove(() => io.stderr.write('rate limited\n'));
  line.setBar(null);
  expect(written()).toBe('1/39 disputes\r\u001b[Krate limited\n1/39 disputes\r\u001b[K');
});

test('a wait is shown in the line of the bar, which stays when the wait is over', () => {
  const { io, written } = terminal(true);
  const line = createStatusLine(io, false);
  line.setBar('1/39 disputes');
  line.setWait(wait);
  line.setWait(null);
  line.setWait(null);
  expect(written().split('\r\u001b[K')).toEqual([
    '1/39 disputes',
    '1/39 disputes  no response for 3 s (Ctrl-C to stop)',
    '1/39 disputes',
  ]);
});

test('a screen reader hears once what is awaited', () => {
  const { io, written } = terminal(true, { STORECTL_ACCESSIBLE: '1' });
  const line = createStatusLine(io, false);
  line.setBar('1/39 disputes');
  line.setWait(wait);
  line.setWait({ ...wait, seconds: 4 });
  line.setWait(null);
  expect(written()).toBe('Waiting for api.example.com (Ctrl-C to stop).\n');
});

test.each([
  ['there is no terminal', false, false],
  ['the command is quiet', true, true],
])('nothing but the messages is written where %s', (_, isTTY, quiet) => {
  const { io, written } = terminal(isTTY);
  const line = createStatusLine(io, quiet);
  line.setBar('1/39 disputes');
  line.setWait(wait);
  line.writeAbove(() => io.stderr.write('rate limited\n'));
  line.setWait(null);
  line.setBar(null);
  expect(written()).toBe('rate limited\n');
});

/** What was written to a stream until now. One `read()` of Node 26 gives one chunk. */
function readAll(stream: PassThrough): string {
  let text = '';
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) text += String(chunk);
  return text;
}
