import { upperFirst } from '../../output/labels.ts';
import type { Topic } from './topic.ts';

/** Each exit code, what it means, and whether anything was applied. Also in the manual and in docs/exit-codes.md. */
export const exitCodeRows: readonly (readonly [code: number, meaning: string, applied: string])[] = [
  [0, 'done', 'yes'],
  [1, 'a bug in storectl', 'see the message'],
  [2, 'wrong usage, or the input is invalid', 'no, nothing sent'],
  [3, 'input or confirmation needed, but there is no terminal to ask in', 'no, nothing sent'],
  [4, 'no key, or one that cannot be read, or the key was refused (401, 403)', 'no'],
  [5, 'not found (404, 410)', 'no'],
  [
    6,
    'conflict (409, 412), already decided differently, `undo` cannot take it back, or differs (`settings diff --exit-code`)',
    'no',
  ],
  [7, 'rejected by the service (other 4xx)', 'no'],
  [8, 'rate limited (425, 429; for reads also 503), and waiting would exceed `--timeout`', 'no'],
  [9, 'the service could not be reached or answered 5xx; nothing was applied', 'no'],
  [10, 'in doubt: sent, but no readable response; run `storectl resume ID`', 'perhaps'],
  [11, 'local state: settings or history unreadable, damaged, locked, or disk full', 'no, nothing sent'],
  [12, 'done, but the output could not be written (full disk, `--output-file`)', 'yes'],
  [130, 'cancelled before anything was sent (after that: 10)', 'no, nothing sent'],
];

/** Before the table, in docs/exit-codes.md and in the help. */
export const aboutExitCodes =
  'They are the same with and without `--json`. Treat an unknown code as a failure. A batch has the most severe code of its items, or of what stopped it (130 for Ctrl-C); its output says which were applied.';

export const topic: Topic = {
  title: 'What each exit code means',
  sections: [
    {
      paragraphs: [aboutExitCodes],
      items: exitCodeRows.map(([code, meaning, applied]) => [
        String(code),
        `${upperFirst(meaning)}. Applied: ${applied}.`,
      ]),
    },
  ],
};
