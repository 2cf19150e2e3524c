import type { Topic } from './topics/topic.ts';

/** A topic in the list of the help. Its text is loaded when it is shown. */
interface ListedTopic {
  readonly summary: string;
  load(): Promise<{ readonly topic: Topic }>;
}

/** The topics by name, in the order of the help. */
export const topics: Readonly<Record<string, ListedTopic>> = {
  environment: {
    summary: 'Variables that storectl reads',
    load: () => import('./topics/environment.ts'),
  },
  'exit-codes': {
    summary: 'What each exit code means, and whether anything was applied',
    load: () => import('./topics/exit-codes.ts'),
  },
  files: {
    summary: 'Files that storectl keeps, and files that you give it',
    load: () => import('./topics/files.ts'),
  },
  scripts: {
    summary: 'How to use storectl in scripts, in cron and in CI',
    load: () => import('./topics/scripts.ts'),
  },
};
