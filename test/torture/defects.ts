import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface Patch {
  readonly find: string;
  readonly replace: string;
}

/** A mistake that somebody could make. The harness has to find it. */
export interface Defect {
  readonly name: string;
  /** Of the file system that the program is given: see client-hook.cjs. */
  readonly fileSystem?: string;
  /** Of the service: its refusals do not stay the answer to their keys. */
  readonly forgetsRefusals?: boolean;
  /** Of the program as it is built: in each file with `find`, which has to be there. */
  readonly patches?: readonly Patch[];
}

export const defects: readonly Defect[] = [
  { name: 'files are not synced', fileSystem: 'sync-files' },
  { name: 'folders are not synced', fileSystem: 'sync-folders' },
  {
    name: 'the key of an earlier command is used again',
    patches: [
      {
        find: 'bodyWithKey(request)), snapshot',
        replace:
          '((body) => body === request.body ? body : { ...body, idempotencyKey: [...snapshot.records({ concerning: [request.operation.id] })].find((r) => r.class === "keyed")?.idempotencyKey ?? body.idempotencyKey })(bodyWithKey(request))), snapshot',
      },
    ],
  },
  {
    name: 'an earlier safety backup is used again',
    patches: [
      {
        find: 'const { operation, parameters } = intent;',
        replace:
          'body.idempotencyKey = "safety-" + intent.parameters.backupId; const { operation, parameters } = intent;',
      },
    ],
  },
  {
    name: 'outcomes that are cut off are not missed',
    patches: [
      {
        find: 'if (inDoubt !== void 0) throw damaged(',
        replace: 'if (false) throw damaged(',
      },
    ],
  },
  {
    name: 'damaged logs are passed over',
    patches: [
      {
        find: 'return name === void 0 ? null : readOnce(folder, name)',
        replace: 'try { return readOnce(folder, name) } catch { return null }',
      },
    ],
  },
  {
    name: 'a history belongs to an origin',
    patches: [
      {
        find: 'sha256(storeIdentity(baseUrl, storeId))',
        replace: 'sha256(storeIdentity(new URL(baseUrl).origin, storeId))',
      },
    ],
  },
  { name: 'a refusal ends a doubt', patches: [atStart('keepDoubt(outcome, doubt)', 'return outcome;')] },
  {
    name: 'a response may be about something else',
    patches: [atStart('mismatchOf(operation, request, response)', 'return null;')],
  },
  {
    name: 'writes share their connections',
    patches: [atStart('connectionFor(request, { ownConnection, inBatch }, attempt)', 'return "warm";')],
  },
  {
    name: 'a wait is forgotten by the next command',
    patches: [atStart('storeWait(journal)', 'return 0;')],
  },
  {
    name: 'Retry-After is not read',
    patches: [atStart('parseRetryAfter(headers, now)', 'return null;')],
  },
  {
    name: 'resume restores without a yes',
    patches: [{ find: 'safetyBackupRule === void 0 ? "send" : "needs_yes"', replace: '"send"' }],
  },
  {
    name: 'resume overwrites later changes',
    patches: [
      atStart('changesAfter(snapshot, record)', 'return [];'),
      atStart('isSuperseded(earlier, later)', 'return false;'),
    ],
  },
  {
    name: 'clocks order changes',
    patches: [
      { find: 'snapshot.records({ since: record.number })', replace: 'snapshot.records({})' },
      atStart('isAfter(one, other)', 'return one.createdAt > other.createdAt;'),
      { find: 'later.number <= earlier.number', replace: 'later.createdAt <= earlier.createdAt' },
    ],
  },
  {
    name: 'what is in doubt is begun again',
    patches: [{ find: 'rules.onSameCommand === "refuse" && !request.allowDuplicate', replace: 'false' }],
  },
  { name: 'the service does not keep a refusal for its key', forgetsRefusals: true },
  {
    name: 'a refusal that is not kept ends a doubt',
    patches: [{ find: 'isKept: request.hasKey && features.includes("keys") &&', replace: 'isKept: true ||' }],
  },
  {
    name: 'a store update has no If-Match',
    patches: [
      {
        find: 'const ifMatch = read.features.includes("keys") ? read.etag : null;',
        replace: 'const ifMatch = null;',
      },
    ],
  },
  {
    name: 'keys are taken for applied once without a promise of the service',
    patches: [atStart('keyAnswerIn(read)', 'return "yes";')],
  },
  {
    name: 'what this machine remembers is taken for the list of the service',
    patches: [atStart('isForPerson({ out, json, quiet })', 'return true;')],
  },
  {
    name: 'repair forgets what is in doubt',
    patches: [
      {
        find: 'const state = record.state === "sent" ? "unknown" : record.state;',
        replace: 'const state = record.state === "applied" ? "applied" : "not_sent";',
      },
    ],
  },
  {
    name: 'locks are not asserted',
    patches: [{ find: 'if (isHeld()) return;', replace: 'return;' }],
  },
  {
    name: 'only the lock of the log is asserted',
    patches: [{ find: 'for (const lock of own) lock.assertHeld();', replace: '' }],
  },
  {
    name: 'a stopped process loses its locks where start times are not known',
    patches: [
      {
        find: 'if (found.startTime === null || owner.startTime === null) return "alive";',
        replace: 'if (found.startTime === null || owner.startTime === null) return "unsure";',
      },
    ],
  },
  {
    name: 'what is in doubt is sent again after 20 hours',
    patches: [atStart('isTooOld({ createdAt }, now)', 'return false;')],
  },
  {
    name: 'a raw request is another one by its spelling',
    patches: [atStart('canonicalPath(path)', 'return path;')],
  },
  {
    name: 'waits are by a clock that can be set',
    patches: [atStart('monotonicMs()', 'return Date.now();')],
  },
  {
    name: 'one-shot writes are sent again',
    patches: [
      {
        find: '"one-shot": "stop",\n\t\tends: "unknown"',
        replace: '"one-shot": "retry",\n\t\tends: "unknown"',
      },
    ],
  },
];

/** Other clients take the locks of one that they cannot look at after 1.5 s of silence, not after 30 s. */
const soonerSilent: readonly Patch[] = [
  { find: 'settings.lockSilenceMs ?? 3e4', replace: 'settings.lockSilenceMs ?? 1500' },
  { find: 'HEARTBEAT_MS = 2e3', replace: 'HEARTBEAT_MS = 100' },
];

/** A function that does nothing but this. */
function atStart(signature: string, does: string): Patch {
  return { find: `function ${signature} {`, replace: `function ${signature} { ${does}` };
}

/** Folder of the program with the defect, and the file system's folder. */
export function plantDefect(
  { name, fileSystem, forgetsRefusals = false, patches = [] }: Defect,
  root: string,
) {
  const program = copyProgram(root, name.replace(/\W/g, '-'), patches);
  return { program, fileSystemDefect: fileSystem ?? null, forgetsRefusals };
}

/**
 * A copy of the built program, so that it can be built again meanwhile, with patches. Throws if there is nothing to patch.
 */
export function copyProgram(root: string, name: string, patches: readonly Patch[] = []): string {
  const copy = path.join(root, 'node_modules', '.cache', 'torture-programs', name);
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const part of ['bin', 'dist'])
    cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
  cpSync(path.join(root, 'package.json'), path.join(copy, 'package.json'));
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  const files = readdirSync(path.join(copy, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => path.join(copy, 'dist', file));
  for (const { find, replace } of [...soonerSilent, ...patches]) {
    const patched = files.filter((file) => readFileSync(file, 'utf8').includes(find));
    if (patched.length === 0) throw new Error(`"${name}" has nothing to patch: ${find}`);
    for (const file of patched) writeFileSync(file, readFileSync(file, 'utf8').replaceAll(find, replace));
  }
  // What was compiled of the program as it is, is not of this one.
  const buildId = path.join(copy, 'dist', 'build-id');
  const reversed = [...readFileSync(buildId, 'utf8')].reverse().join('');
  writeFileSync(buildId, patches.length > 0 ? name.slice(0, 16).padEnd(16, '0') : reversed);
  return copy;
}
