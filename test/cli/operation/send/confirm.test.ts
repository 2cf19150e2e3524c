import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { main } from '../../../../src/cli/main.ts';
import { temporaryFolder } from '../../../helpers/cli.ts';
import { answer, startFaultServer } from '../../../helpers/fault-server.ts';

const reclaimId = '5f0c3f52-8f0e-4d1b-9d53-0a4c5e0b7a11';
const otherId = '81ab3f52-8f0e-4d1b-9d53-0a4c5e0b7a12';
const enter = '\n';
/** Goes to the previous question, as Escape does in other prompts. */
const goBack = '<\n';

const ctrlC = 'Ctrl-C';

/** What a user types each time the terminal shows a text. */
type Dialogue = readonly (readonly [shown: string, typed: string])[];

/** A user's terminal in this process, with a service that accepts appeals. */
async function startTerminal() {
  const server = await startFaultServer([answer(200, { id: reclaimId })]);
  const folder = temporaryFolder();
  const env = {
    STORECTL_CONFIG_DIR: `${folder}/config`,
    STORECTL_STATE_DIR: `${folder}/state`,
    STORECTL_BASE_URL: server.url,
    STORECTL_STORE_ID: 'store-1',
    STORECTL_API_KEY: 'key-of-a-test',
    // Prompts that read whole lines, whenever they come.
    STORECTL_ACCESSIBLE: '1',
  };
  async function run(args: readonly string[], dialogue: Dialogue) {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
    const cancel = new AbortController();
    const left = [...dialogue];
    let screen = '';
    let unread = '';
    const terminal = () => {
      // A prompt ends its output unless that is the output of the process.
      const end = () => stream;
      const stream: PassThrough = Object.assign(new PassThrough(), {
        isTTY: true,
        columns: 200,
        rows: 50,
        end,
      });
      stream.on('data', (chunk) => {
        const text = stripVTControlCharacters(String(chunk));
        screen += text;
        unread += text;
        const [shown, typed] = left[0] ?? ['\0', ''];
        if (!unread.includes(shown)) return;
        left.shift();
        unread = '';
        if (typed === ctrlC) cancel.abort();
        else stdin.write(typed);
      });
      return stream;
    };
    const exitCode = await main(args, {
      ...{ stdin, stdout: terminal(), stderr: terminal(), env, cwd: folder, process, homeDirectory: folder },
      signal: cancel.signal,
    });
    expect(left).toEqual([]);
    return { exitCode, screen };
  }
  return { run, server, [Symbol.asyncDispose]: server.close };
}

const appeal = (id: string, ...more: string[]) => [
  ...['reclaim', 'appeal', id, '--text', 'We are open', '--resubmit', ...more],
];

describe('in a terminal, an irreversible change', () => {
  test('is sent once the user has typed the id, and not for another id', async () => {
    await using terminal = await startTerminal();
    const { exitCode, screen } = await terminal.run(appeal(reclaimId), [
      [`Type ${reclaimId} to confirm`, `${otherId}${enter}`],
      ['to confirm', ` ${reclaimId} ${enter}`],
    ]);
    expect(exitCode).toBe(0);
    expect(screen).toContain("That doesn't match");
    expect(terminal.server.requests).toHaveLength(1);
  });

  test('is not sent if the user cancels, and going back is no answer', async () => {
    await using terminal = await startTerminal();
    const { exitCode } = await terminal.run(appeal(reclaimId), [
      ['to confirm', goBack],
      ['to confirm', ctrlC],
    ]);
    expect(exitCode).toBe(130);
    expect(terminal.server.requests).toHaveLength(0);
  });

  test('needs only the beginning of an id that this machine knows, as long as no other begins so', async () => {
    await using terminal = await startTerminal();
    const { run, server } = terminal;
    const twinId = `${reclaimId.slice(0, -1)}2`;
    await run(appeal(reclaimId, '--confirm', reclaimId), []);
    const short = reclaimId.slice(0, 8);
    await run(appeal(reclaimId), [[`Type ${short} to confirm`, `${short}${enter}`]]);
    expect(server.requests).toHaveLength(2);
    await run(appeal(twinId, '--confirm', twinId), []);
    await run(appeal(reclaimId), [
      [`Type ${reclaimId} to confirm`, `${short}${enter}`],
      ['to confirm', `${reclaimId}${enter}`],
    ]);
    expect(server.requests).toHaveLength(4);
  });

  test('after other questions, the user can go back to them', async () => {
    await using terminal = await startTerminal();
    const { exitCode } = await terminal.run(
      ['reclaim', 'appeal', reclaimId],
      [
        ['Text', `Closed${enter}`],
        ['to confirm', goBack],
        ['Text', ctrlC],
      ],
    );
    expect(exitCode).toBe(130);
    expect(terminal.server.requests).toHaveLength(0);
  });
});
