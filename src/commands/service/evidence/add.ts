import { notTogether } from '../../../cli/core/errors.ts';
import { optionValue } from '../../../cli/core/parsed-command.ts';
import { readInputText } from '../../../cli/input/input-files.ts';
import { submitEvidence } from '../../../service/index.ts';
import { operatorCommand } from '../operator/operator-command.ts';

export const command = operatorCommand({
  description: `Add evidence to a dispute. \`disputes show\` lists it, oldest first. Evidence can have a text and the key of a file in your
storage. This needs write access to the database, not a key.`,
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
  async run({ session, parsed, need, open, printChanged }) {
    const file = optionValue(parsed, '--text-file');
    const text = optionValue(parsed, '--text');
    if (file !== undefined && text !== undefined) throw notTogether('--text', '--text-file');
    const needed = await need(['--store', '--dispute', '--kind', '--label']);
    const { '--store': store, '--dispute': disputeId, '--kind': kind, '--label': label } = needed;
    const textValue = file === undefined ? text : await readInputText(session, file, '--text-file');
    const given = { kind, label, textValue, storageKey: optionValue(parsed, '--storage-key') };
    const evidence = await open((storage) => submitEvidence(storage, store, disputeId, given), {
      hint: 'check --store, --dispute and --database',
      flags: { kind: '--kind', label: '--label', textValue: '--text', storageKey: '--storage-key' },
    });
    printChanged(`Added evidence "${label}" to dispute ${disputeId}`, evidence);
  },
});
