import type { Session } from '../../../cli/command/session.ts';
import { usageError } from '../../../cli/core/errors.ts';
import { optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { readText } from '../../../cli/input/input-files.ts';
import { submitEvidence } from '../../../service/index.ts';
import { readInputs, storeInput } from '../operator/inputs.ts';
import { operatorCommand } from '../operator/operator-command.ts';

export const command = operatorCommand({
  description: `Add evidence to a dispute. \`disputes show\` lists it, oldest first. Evidence can have a text or the key of a file in your
storage, or neither. This needs write access to the database, not a key.`,
  options: [
    { flag: '--dispute', value: 'ID', description: 'Dispute that the evidence is for', complete: 'dispute' },
    { flag: '--kind', value: 'WORD', description: 'Kind of evidence, for example tracking_number' },
    { flag: '--label', value: 'TEXT', description: 'Label: what it shows, in a few words' },
    { flag: '--text', value: 'TEXT', description: 'Content of the evidence' },
    { flag: '--text-file', value: 'FILE', description: 'File with the content (- for standard input)' },
    { flag: '--storage-key', value: 'KEY', description: 'Key of a file in your own storage' },
  ],
  listedGlobals: ['--store'],
  examples: [
    'service evidence add --store 4be5… --dispute 019a… --kind parcel --label DHL --text 34…',
    'service evidence add --store 4be5… --dispute 019a… --kind call --label Call --text Lost',
  ],
  async run(operator) {
    const { session, parsed, open, printChanged } = operator;
    const content = await readContent(session, parsed);
    const { store, disputeId, kind, label } = readInputs(operator, {
      store: storeInput('store of the dispute'),
      disputeId: { give: '--dispute ID', description: 'dispute that the evidence is for' },
      kind: { give: '--kind WORD', description: 'kind of evidence, for example tracking_number' },
      label: { give: '--label TEXT', description: 'what it shows' },
    });
    const given = { kind, label, ...content };
    const textValue = parsed.options.has('--text-file') ? '--text-file' : '--text';
    const evidence = await open((storage) => submitEvidence(storage, store, disputeId, given), {
      hint: 'check --store, --dispute and --database',
      flags: { kind: '--kind', label: '--label', textValue, storageKey: '--storage-key' },
    });
    printChanged(`Added evidence "${label}" to dispute ${disputeId}`, evidence);
  },
});

async function readContent(session: Session, parsed: ParsedCommand) {
  const text = optionValue(parsed, '--text');
  const file = optionValue(parsed, '--text-file');
  const storageKey = optionValue(parsed, '--storage-key') ?? null;
  if ([text, file, storageKey ?? undefined].filter((value) => value !== undefined).length > 1) {
    throw usageError('--text, --text-file and --storage-key cannot be used together', 'use one of them');
  }
  const textValue = file === undefined ? (text ?? null) : await readText(session, file, '--text-file');
  return { textValue, storageKey };
}
