import type { Topic } from './topic.ts';

/** What storectl keeps, on Linux and macOS, as long as no variable names another folder. Also in the manual. */
export const keptFiles = [
  ['~/.config/storectl/settings.json', 'Profiles, with the base URL, the store id and the key of each.'],
  [
    '~/.local/state/storectl/history/',
    'The histories: a folder for each store, a file for each run that changed something.',
  ],
  ['~/.local/state/storectl/demo/', 'The demo store and its history.'],
  ['~/.cache/storectl/compiled/', 'The compiled program, for a faster start. It can be deleted.'],
] as const;

export const topic: Topic = {
  title: 'Files that storectl keeps, and files that you give it',
  sections: [
    {
      heading: 'Kept on this machine:',
      paragraphs: [
        'Other users cannot read them. On Windows they are in %APPDATA%\\storectl and %LOCALAPPDATA%\\storectl. STORECTL_CONFIG_DIR and STORECTL_STATE_DIR name other folders.',
      ],
      items: keptFiles,
    },
    {
      heading: 'Read from the current folder:',
      items: [
        [
          '.storectl.json',
          'Store and profile for this folder: {"storeId": "…", "profile": "…"}. It never holds a key or a URL.',
        ],
      ],
    },
    {
      heading: 'Given to a command:',
      paragraphs: [
        'All are UTF-8, or UTF-16 with a byte order mark. Where a flag takes a FILE, - is standard input, which one flag of a command can read.',
      ],
      items: [
        [
          'blog create FILE...',
          'Posts in Markdown. YAML front matter between two lines of --- has title, slug, status, tags and so on. Without it the first heading is the title, and the file name the slug.',
        ],
        [
          'disputes decide --from FILE',
          'Decisions as CSV with a header. Columns: disputeId (whole) or providerCaseId or orderId, status, resolution. --column says which column it is if it has another title; others are ignored.',
        ],
        [
          '--from-file FILE',
          'The fields of a request as JSON or YAML, named as in the API. A key that stands twice, or a section with nothing in it, is an error. Of --from-file, --set and the flags, the later wins in this order.',
        ],
        ['--content-file FILE', 'A long text as it is. Also --reason-file, --resolution-file, --text-file.'],
        ['api --input FILE', 'A request body, sent as it is.'],
      ],
      examples: [
        'blog create posts/*.md --dry-run',
        'disputes decide --from decisions.csv --output-file results.json',
        'settings show --yaml > settings.yaml',
        'settings save --from-file settings.yaml',
      ],
    },
    {
      heading: 'Written by a command:',
      items: [
        [
          '--output-file FILE',
          'The response, or the results of a batch, as JSON. A batch of decisions also writes the rows that failed to NAME.failed.csv.',
        ],
      ],
    },
  ],
};
