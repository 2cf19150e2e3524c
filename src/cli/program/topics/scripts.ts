import type { Topic } from './topic.ts';

export const topic: Topic = {
  title: 'How to use storectl in scripts, in cron and in CI',
  sections: [
    {
      heading: 'It never waits for an answer:',
      paragraphs: [
        'Without a terminal, with CI set or with --no-input, it asks nothing. What is missing is exit code 3, and the error names all of it. What wants a confirmation takes --confirm ID.',
      ],
    },
    {
      heading: 'Store and key:',
      paragraphs: [
        'Set STORECTL_BASE_URL, STORECTL_STORE_ID and STORECTL_API_KEY (or STORECTL_API_KEY_FILE). A key is never a flag: other users see command lines.',
      ],
    },
    {
      heading: 'Output:',
      items: [
        [
          '--json',
          'One JSON document on standard output: the response of the service. An error is a JSON object on the last line of standard error.',
        ],
        ['--fields A,B.C', 'Only these fields of it.'],
        ['-q', 'Only the id that the command made.'],
        ['--dry-run', 'What would be sent. Nothing is sent.'],
      ],
    },
    {
      heading: 'Exit codes worth a branch:',
      paragraphs: ['`storectl help exit-codes` lists them all.'],
      items: [
        ['0', 'Done.'],
        ['3', 'Input is missing.'],
        ['8', 'Rate limited: try again later.'],
        ['9', 'The service was not reached, and nothing was applied: try again.'],
        ['10', 'In doubt: `storectl resume ID` settles it. The error names the id.'],
      ],
    },
    {
      heading: 'Safe to run twice:',
      paragraphs: [
        '--idempotency-from ci makes a re-run of a job take the backup of the first run. A batch that is run again does only what is left.',
      ],
      examples: [
        'backup create --label "nightly $(date +%F)" --sections store,blog -q',
        'backup create --label release --sections store --idempotency-from ci --json',
        'settings diff --from-file settings.yaml --exit-code',
      ],
    },
  ],
};
