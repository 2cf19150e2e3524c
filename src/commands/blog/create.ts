import { textAt } from '../../base/json.ts';
import type { CommandCall, CommandDefinition, CommandResult } from '../../cli/command/command-definition.ts';
import { fixInput, invalidInput, usageError } from '../../cli/core/errors.ts';
import { advancedGroup } from '../../cli/core/option-spec.ts';
import { isOn } from '../../cli/core/parsed-command.ts';
import { deriveFlags } from '../../cli/input/field-flags.ts';
import { checkBody, readBody } from '../../cli/input/request-body.ts';
import type { OperationInput } from '../../cli/operation/call/operation-input.ts';
import { describeOperation, toolOf } from '../../cli/operation/call/operation-options.ts';
import type { Run } from '../../cli/operation/call/run.ts';
import { confirm } from '../../cli/operation/confirm.ts';
import { readInput } from '../../cli/operation/read-input.ts';
import { printDryRun, printResult } from '../../cli/operation/result/print-result.ts';
import { announce } from '../../cli/operation/send/announce.ts';
import { send } from '../../cli/operation/send/send.ts';
import { untilAccepted } from '../../cli/operation/until-accepted.ts';
import { outputFileOption } from '../../cli/output/output-file.ts';
import { createBlogPost } from '../../contract/operations/blog.ts';
import { fileOptions, givenFileOption } from './bulk/file-options.ts';
import { describeProblem } from './post/fields.ts';
import type { ReadFile } from './post/read-post.ts';

const edit = '--edit';
const allowDuplicate = '--allow-duplicate';

const hints = { fileFlags: { contentMd: 'content-file' } };
const fields = deriveFlags(createBlogPost.body, hints);

const input: OperationInput = {
  operation: createBlogPost,
  hints,
  arguments: [
    {
      name: 'file',
      description: "Markdown files or a pattern ('posts/**/*.md'); - is standard input",
      variadic: true,
      optional: true,
    },
  ],
  options: [
    { flag: edit, description: 'Open the post in $VISUAL or $EDITOR before sending', group: 'Input:' },
    ...fileOptions,
    { flag: allowDuplicate, description: 'Create it even if it was created before', group: advancedGroup },
  ],
};

export const command: CommandDefinition = {
  ...describeOperation(input),
  tool: toolOf(input, 'The same post within 24 hours is refused.'),
  description: `Create blog posts from Markdown files as blog programs have them (\`storectl help files\` says what is sent), or one post
from flags. Without a status they become drafts, and a file that says it is a draft stays one. Run the same command again to
continue: no post is created twice.`,
  details: `A file may have front matter: YAML between lines of ---, TOML between +++, JSON, or, as in Pelican,
lines such as "Title: Sale" that end with an empty line. Sent are its title, slug (or the last
part of permalink, url or path), excerpt (description, summary), tags (tag, categories, category), the date (publishDate,
published_at, pubDate, date), status, scheduledAt, metaTitle, metaDescription, coverImageId and featuredProductIds. Other fields
are left out; the plan says which. The first heading of level 1 is the title if there is none, else the name of the file in
words. The slug and the date may come from the name, as in 2024-01-31-spring-sale.md, and from folders such as 2024/01/31. What
says that it is not public becomes a draft, whatever any flag says: draft, published, publish, status, hidden, unlisted, private,
permalink: false, build.render: never, a past expiryDate, a folder _drafts. A post with a later date is scheduled. Files without
content are skipped, and of several files also what Hugo and Zola make no page of. Tags of templates stay in the text, and images
are not uploaded; the plan names both. Flags override front matter. A post counts as sent by its slug, title and content. The exit code is the most severe one of all files. From
flags, creating the same post again within 24 hours is an error unless ${allowDuplicate} is given.`,
  examples: [
    "blog create '_posts/**/*.md' --status published --dry-run",
    "blog create '_posts/**/*.md' --status published --skip-invalid",
    'blog create post.md --edit',
    'blog create --title Sale --content-md "All inks **20 %** off." --tags ink',
  ],
  async run(call) {
    const { ui, session, parsed } = call;
    const patterns = parsed.arguments.file ?? [];
    const isEdited = isOn(parsed, edit);
    const fileOption = givenFileOption(parsed);
    if (patterns.length === 0 && fileOption !== undefined)
      throw usageError(`${fileOption} is for files`, 'name them, for example posts/*.md');
    if (patterns.length === 0 && !isEdited) return createPost(call, null);
    const { expandFiles, noteOtherEndings } = await import('./bulk/expand-files.ts');
    const place = { cwd: session.io.cwd, ignoreCase: session.io.process.platform === 'win32' };
    const files = expandFiles(patterns, place);
    if (!isEdited) {
      const { createPosts } = await import('./bulk/create-posts.ts');
      return createPosts(ui, session, parsed, {
        fields,
        files,
        note: noteOtherEndings(patterns, place),
        allowsDuplicates: isOn(parsed, allowDuplicate),
      });
    }
    if (files.length > 1) throw usageError(`${edit} needs exactly one file (got ${files.length})`);
    return createEdited(call, files[0]);
  },
};

/** Creates one post from flags, or from its fields as they left the editor. */
async function createPost(
  call: CommandCall,
  edited: Readonly<Record<string, unknown>> | null,
): Promise<CommandResult | undefined> {
  const given = { ...input, defaults: edited ?? {} };
  const run = await readInput(call, given, { isReviewed: edited !== null });
  if (call.session.flags.dryRun) return printDryRun(run);
  await announce(run);
  const { body } = run.request;
  const result = await untilAccepted(run, async () => {
    const isDraft = body?.status === undefined;
    await confirm(run, { question: isDraft ? 'Create this post as a draft?' : 'Create this post?' });
    return send(run, {
      allowDuplicate: isOn(call.parsed, allowDuplicate),
      allowDuplicateFlag: allowDuplicate,
    });
  });
  return printResult(run, { done: ({ response }) => describeDone(body, response) }, result);
}

function describeDone(body: Run['request']['body'], response: unknown): string {
  const status = textAt(response, ['status']);
  return `Created post "${String(body?.title)}"${status === null ? '' : ` (${status})`}`;
}

/** What can be edited of a post. Throws exit 2 if nothing of it could be read. */
function draftOf({ file, body, problem }: ReadFile): Readonly<Record<string, unknown>> {
  if (problem !== null && body.contentMd === undefined)
    throw invalidInput(describeProblem(file, problem), fixInput);
  return body;
}

async function createEdited(call: CommandCall, file: string | undefined): Promise<CommandResult | undefined> {
  const { ui, session, parsed } = call;
  const { readPostFile } = await import('./bulk/post-files.ts');
  const { readMapping } = await import('./bulk/read-mapping.ts');
  const { editPost } = await import('./bulk/edit-post.ts');
  const { body: given } = await readBody(session, createBlogPost, fields, parsed);
  checkBody(createBlogPost, fields, given);
  const mapping = readMapping(parsed, given, Date.now());
  const draft = file === undefined ? given : draftOf(await readPostFile(session, file, mapping));
  // Who and where is asked before anything is typed.
  if (ui.canAsk) await session.connect();
  const { result: edited, discard, keep: keepText } = await editPost(ui, draft);
  try {
    // The post already contains the values of the flags, perhaps changed in the editor.
    const kept = [...parsed.options].filter(([flag]) =>
      [allowDuplicate, outputFileOption.flag].includes(flag),
    );
    const result = await createPost({ ...call, parsed: { ...parsed, options: new Map(kept) } }, edited);
    discard();
    return result;
  } catch (error) {
    keepText();
    throw error;
  }
}
