import type { Topic } from './topic.ts';

/** The variables that storectl reads: names, and what they set. Also in the manual. */
export const variables: readonly (readonly [name: string, meaning: string])[] = [
  [
    'STORECTL_API_KEY, STORECTL_API_KEY_FILE, STORECTL_API_KEY_COMMAND',
    'the key, a file or pipe that contains it, or a command that prints it',
  ],
  [
    'STORECTL_STORE_ID, STORECTL_BASE_URL, STORECTL_PROFILE',
    'store, base URL of the service, stored profile',
  ],
  [
    'STORECTL_CONFIG_DIR, STORECTL_STATE_DIR',
    'directory of the settings; directory of history and demo store',
  ],
  [
    'STORECTL_SERVICE_HOST, _PORT, _DATABASE, _POOL_SIZE, _LOG_LEVEL, _METRICS_PORT, _METRICS_HOST',
    'options of storectl service commands',
  ],
  ['NO_COLOR, FORCE_COLOR', 'no colors; colors in a pipe too'],
  ['STORECTL_CI_JOB, STORECTL_CI_RUN_ID', 'for --idempotency-from ci: the command in its run, and the run'],
  ['PAGER', 'program for long output (default less -FRX); cat for none'],
  [
    'STORECTL_NO_INPUT, STORECTL_DEBUG, STORECTL_ACCESSIBLE',
    'same as --no-input, --debug; plain lines for screen readers',
  ],
  [
    'HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS',
    'proxy, hosts that bypass it, additional certificate authorities',
  ],
  [
    'XDG_CACHE_HOME, NODE_DISABLE_COMPILE_CACHE',
    'directory of the compile cache (default ~/.cache); 1 turns the cache off',
  ],
  ['VISUAL, EDITOR', 'editor for settings edit and long texts'],
];

export const topic: Topic = {
  title: 'Variables that storectl reads',
  sections: [
    {
      paragraphs: [
        'A flag comes first, then the variable, then .storectl.json in the current folder (store id and profile), then the stored profile.',
      ],
      items: variables,
    },
  ],
};
