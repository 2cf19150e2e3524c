import { existsSync } from 'node:fs';
import path from 'node:path';
import { memoize } from '../../base/memoize.ts';
import type { Exchange } from '../../client/client.ts';
import { exampleIds } from '../../contract/example-ids.ts';
import type { History } from '../../history/history.ts';
import type { HistoryRecord } from '../../history/journal/history-record.ts';
import type { KnownKind, KnownObject } from '../../history/objects/known-objects.ts';
import {
  type ConnectionSettings,
  demoProfile,
  identityOf,
  resolveSettings,
} from '../config/connection-settings.ts';
import {
  configDirectory,
  demoDirectory,
  historyDirectory,
  refuseMissingHome,
} from '../config/directories.ts';
import type { Phrase } from '../config/phrase.ts';
import { phraseText } from '../config/phrase.ts';
import type { ProfileStore } from '../config/profile-store.ts';
import type { Failure } from '../core/errors.ts';
import type { ExitCode } from '../core/exit-codes.ts';
import { type Io, isInputForbidden, isSwitchedOn } from '../core/io.ts';
import type { CommandInterface } from '../core/option-spec.ts';
import { version } from '../core/version.ts';
import { inAscii, isAsciiLocale } from '../output/ascii.ts';
import { describeExchange, describeRetry } from '../output/describe-exchange.ts';
import { choosePager, isLongerThan, showInPager } from '../output/pager.ts';
import { type Style, styleOf } from '../output/style.ts';
import { type Connection, demoTarget, makeClient, showingWaits, storedTarget } from './connection.ts';
import type { Demo } from './demo-service.ts';
import type { GlobalFlags } from './global-flags.ts';
import { inputNeeded, missingConnection } from './input-needed.ts';
import { createStatusLine } from './status-line.ts';
import { createWaiting, type Waiting } from './waiting.ts';

/** How a command ended. */
export interface CommandEnd {
  readonly exitCode: ExitCode;
  readonly error: Failure | null;
  /** What the command used; undefined if it did not start. */
  readonly context: Context | undefined;
}

/** The program itself. */
export interface Program {
  /** The commands that are tools, by their words: `backup create`. */
  readonly tools: ReadonlyMap<string, () => Promise<CommandInterface>>;
  /** Runs a command in this process. Nothing is thrown. */
  run(argv: readonly string[], io: Io): Promise<CommandEnd>;
}

/** Everything that a command may use. What is slow or can fail is a function, so that it runs on demand. */
export interface Context {
  readonly io: Io;
  readonly flags: GlobalFlags;
  /** For a command that runs others. */
  readonly program: Program;
  /** Style of stdout and of stderr. */
  readonly out: Style;
  readonly err: Style;
  /** Whether the user can be asked: terminals on both ends, and prompts not forbidden. */
  readonly canPrompt: boolean;
  /** Epoch milliseconds. */
  now(): number;
  /** Writes data to stdout. Text longer than the terminal goes through a pager, which blocks until the user leaves it. */
  print(text: string): void;
  /** Writes a message to stderr, wrapped at words in a terminal. With --quiet, only if a question follows. */
  notice(text: Phrase): void;
  /** The same without wrapping, because the user may copy the text, such as a command. */
  noticeToCopy(text: Phrase): void;
  /** Writes what the user typed to stderr before an error would lose it, with --quiet too. */
  saveUserText(text: string): void;
  profiles(): Promise<ProfileStore>;
  settings(): Promise<ConnectionSettings>;
  /** Throws exit 3 without a store or an address, and exit 4 without a key. */
  connect(): Promise<Connection>;
  /** The history of the store in use. Throws exit 3 without a store or an address. */
  history(): Promise<History>;
  /** Shows a progress bar below all other output on stderr; null removes it. Terminals only. */
  setProgressBar(bar: string | null): void;
  /** Runs `work`. A terminal shows what is awaited and for how long. Requests of {@link Context.connect} do so by themselves. */
  readonly waitFor: Waiting['during'];
  /** Calls `listener` after every HTTP exchange. */
  onExchange(listener: (exchange: Exchange) => void): void;
  /** Starts the demo service on the first call. */
  demo(): Promise<Demo>;
  /** What `listKnown` has read, so that one command reads the history for it once. */
  readonly known: Map<KnownKind, Promise<readonly KnownObject[]>>;
  /** Records of this command that were applied. */
  readonly applied: HistoryRecord[];
  /** Differences of answers from the contract that were printed. */
  readonly drift: Set<string>;
  /** Releases what the command used. Called by main. */
  close(): Promise<void>;
  /** To be called when the output has reached the user: what has an outcome is then no longer open. Called by main. */
  endHistory(): Promise<void>;
}

/** Creates the context of one command. Files, history and connections are opened on demand. */
export async function createContext({
  io,
  flags,
  program,
}: Pick<Context, 'io' | 'flags' | 'program'>): Promise<Context> {
  const err = await styleOf(io.stderr, io.env);
  const out = await styleOf(io.stdout, io.env);
  const cleanups: (() => Promise<void>)[] = [];
  // A pipe needs no widths, and loading them takes a few milliseconds.
  const widths = err.width === null ? null : await import('../output/wrap.ts');
  const status = createStatusLine(io, flags, widths?.truncateText);
  const waiting = createWaiting(status);
  const isAscii = isAsciiLocale(io.env);
  const drawn = (text: string, { width }: Style) => (isAscii && width !== null ? inAscii(text) : text);
  const writeLine = (text: string) => status.writeAbove(() => io.stderr.write(`${drawn(text, err)}\n`));
  const heldBack: string[] = [];
  const writeNotice = flags.quiet ? (text: string) => heldBack.push(text) : writeLine;
  const noticeToCopy = (text: Phrase) => writeNotice(phraseText(text, flags.profile));
  io.beforeQuestion = () => heldBack.splice(0).forEach(writeLine);
  const wrapped = (text: string) =>
    err.width === null || err.plain ? text : (widths?.wrapText(text, err.width) ?? text);
  const notice = (text: Phrase) => writeNotice(wrapped(phraseText(text, flags.profile)));
  const promptsForbidden = isInputForbidden(flags, io.env);
  const debug = flags.debug || isSwitchedOn(io.env.STORECTL_DEBUG);
  const listeners: ((exchange: Exchange) => void)[] = [];
  if (debug) listeners.push((exchange) => writeLine(describeExchange(exchange)));

  const profiles = memoize(async () => {
    const { openProfiles } = await import('../config/profile-store.ts');
    const directory = configDirectory(io);
    return openProfiles(directory, io.process, notice, () =>
      refuseMissingHome(io, directory, 'STORECTL_CONFIG_DIR'),
    );
  });
  const settings = memoize(async () => {
    // Loading conf takes longer than looking whether there is a file at all.
    const stored = existsSync(path.join(configDirectory(io), 'settings.json'))
      ? await profiles()
      : noProfiles;
    return resolveSettings(flags, io.env, io.cwd, stored);
  });
  const demo = memoize(async () => {
    const { startDemo } = await import('./demo-service.ts');
    const started = await waiting.during('the demo store', () => startDemo(demoDirectory(io)));
    cleanups.push(() => started.close());
    notice(err.color.dim('demo: example data on this machine, not a real store'));
    return started;
  });

  let longestAnnouncedWaitMs = 0;
  let endHistory = async () => {};
  const connect = memoize(async (): Promise<Connection> => {
    const resolved = await settings();
    const target =
      resolved.profile === demoProfile ? demoTarget(await demo(), resolved) : storedTarget(resolved);
    const { createClient: create } = await import('../../client/client.ts');
    const client = makeClient(create, {
      baseUrl: target.baseUrl,
      apiKey: target.secret,
      userAgent: `storectl/${version}`,
      env: io.env,
      onExchange: (exchange) => {
        if (exchange.status !== null) waiting.answered();
        for (const listener of listeners) listener(exchange);
      },
      onRetry: (retry) => {
        // The requests of a batch wait together, so one line is enough unless the wait gets much longer.
        // Before the first attempt, only an earlier rate limit makes it wait.
        const isRateLimit = retry.status === 429 || retry.attempt === 0;
        if (isRateLimit && retry.delayMs <= 2 * longestAnnouncedWaitMs) return;
        if (isRateLimit) longestAnnouncedWaitMs = retry.delayMs;
        notice(err.color.dim(describeRetry(retry)));
      },
    });
    cleanups.push(() => client.close());
    return { ...target, client: showingWaits(client, target, waiting) };
  });

  return {
    io,
    flags,
    program,
    out,
    err,
    get canPrompt() {
      // Checked last, because reading `io.stdin` opens it.
      if (promptsForbidden || io.stdout.isTTY !== true || io.stdin.isTTY !== true) return false;
      // After Ctrl-D, the user cannot answer any more.
      return !io.stdin.readableEnded;
    },
    now: () => Date.now(),
    print: (text) => {
      const ended = text.endsWith('\n') ? text : `${text}\n`;
      const whole = flags.json ? ended : drawn(ended, out);
      const pager = flags.json || flags.quiet || flags.noInput ? null : choosePager(io);
      if (pager !== null && isLongerThan(whole, io.stdout) && showInPager(whole, pager, io)) return;
      status.writeAbove(() => io.stdout.write(whole));
    },
    notice,
    noticeToCopy,
    saveUserText: writeLine,
    setProgressBar: (bar) => status.setBar(bar && drawn(bar, err)),
    waitFor: waiting.during,
    profiles,
    settings,
    connect,
    history: memoize(async () => {
      const { openHistory } = await import('../../history/history.ts');
      const resolved = await settings();
      const store = identityOf(resolved, exampleIds.store);
      if (store === null) throw inputNeeded(missingConnection(resolved));
      const folder = historyDirectory(io, store);
      const { profile } = resolved;
      const history = openHistory({
        folder,
        store,
        profile,
        process: io.process,
        lockPatienceMs: flags.timeoutMs,
      });
      endHistory = () => history.end();
      return history;
    }),
    onExchange: (listener) => {
      listeners.push(listener);
    },
    demo,
    known: new Map(),
    applied: [],
    drift: new Set(),
    async close() {
      for (const cleanup of cleanups.reverse()) await cleanup();
    },
    endHistory: () => endHistory(),
  };
}

const noProfiles = { current: () => null, get: () => null };
