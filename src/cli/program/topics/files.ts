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
          'Posts in Markdown, with the front matter that blog programs write. See below.',
        ],
        [
          'disputes decide --from FILE',
          'Decisions as CSV with a header. Columns: disputeId (whole) or providerCaseId or orderId, status, resolution. --column says which column it is if it has another title; others are ignored. --resolution is for rows without one.',
        ],
        [
          '--from-file FILE',
          'The fields of a request as JSON or YAML, named as in the API. A key that is set twice, or a section with nothing in it, is an error. Of --from-file, --set and the flags, the later wins in this order.',
        ],
        ['--content-file FILE', 'A long text as it is. Also --reason-file, --resolution-file, --text-file.'],
        ['api --input FILE', 'A request body, sent as it is.'],
      ],
      examples: [
        "blog create '_posts/**/*.md' --status published --dry-run",
        'disputes decide --from decisions.csv --output-file results.json',
        'settings show --yaml > settings.yaml',
        'settings save --from-file settings.yaml',
      ],
    },
    {
      heading: 'Posts, as blog create reads them:',
      paragraphs: [
        "Front matter is YAML between lines of ---, TOML between +++, JSON, or lines such as Title: Sale that end with an empty line. What cannot be read is an error of that file. Tags of templates stay in the text, and images are not uploaded: the plan names both. Quote a pattern such as 'posts/**/*.md', because not every shell knows **. The plan (--dry-run) shows what becomes of each file.",
      ],
      items: [
        ['title', 'title, or the first heading of level 1, or the name of the file in words'],
        [
          'slug',
          'slug, or the last part of permalink, url or path, or the name of the file without its date; of index.md the name of its folder. Files with the same slug are errors: --slug-prefix de- sets those of a language or section apart.',
        ],
        ['excerpt', 'excerpt, description or summary'],
        ['tags', 'tags, tag, categories and category together'],
        [
          'publishedAt',
          'publishDate, published_at, pubDate or date; else the date in the name (2024-01-31-sale.md) or in its folders (2024/01/31/sale.md). Without a zone it is in --timezone, or UTC. With --status published, a post with a later date is scheduled.',
        ],
        [
          'drafts',
          'A file is a draft, whatever a flag says, if it has draft: true, published: false, publish: false, status: draft, hidden, unlisted, private, a password, permalink: false, build.render: never or a past expiryDate, or is in a folder _drafts. Drafts have no date.',
        ],
        [
          'skipped',
          'Files without content. Of several files also what Hugo and Zola make no page of: _index.md, and files without front matter in a folder whose index.md is a post.',
        ],
        [
          'other fields',
          'Other fields of the contract are sent by their names. The rest is left out, and the plan lists it. --send FIELD sends one as it is, --leave-out FIELD holds one back.',
        ],
        [
          'run again',
          'A post counts as sent by its slug, title and content. The same command continues after an interruption, and creates no post twice.',
        ],
      ],
      examples: [
        "blog create 'content/posts/**/*.md' --status published --skip-invalid",
        "blog create 'content/de/**/*.md' --status published --slug-prefix de-",
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
