import type { CommandCall, CommandDefinition, CommandResult } from '../../cli/command/command-definition.ts';
import { usageError } from '../../cli/core/errors.ts';
import { textAt } from '../../cli/core/field-path.ts';
import { advancedGroup } from '../../cli/core/option-spec.ts';
import { isOn, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import { deriveFlags } from '../../cli/input/field-flags.ts';
import { checkBody, readBody } from '../../cli/input/request-body.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { createBlogPost } from '../../contract/operations/blog.ts';

const edit = '--edit';
const allowDuplicate = '--allow-duplicate';

const hints = { fileFlags: { contentMd: 'content-file' } };
const fields = deriveFlags(createBlogPost.body, hints);

/** The command of one post. `fromFile` are the fields of its file, which flags override. */
const onePost = (fromFile: Readonly<Record<string, unknown>> = {}, edited = false) =>
  operationCommand({
    operation: createBlogPost,
    description: `Create a blog post from flags or a Markdown file with YAML front matter. A post without a status becomes a
draft. Several files create one post each; the same command again continues where it stopped.`,
    details: `Front matter between lines of --- sets the fields (title, slug, excerpt, tags, status, scheduledAt, …); the rest
is the content. If it has no title, the first heading "# …" becomes the title and stays in the content. The slug defaults to
the name of the file. Flags override front matter. Creating the same post again within 24 hours is an error unless
${allowDuplicate} is given. With several files, existing posts are left alone, and the exit code is the most severe one of all
files.`,
    question: 'Create this post?',
    arguments: [
      {
        name: 'file',
        description: 'Markdown with YAML front matter; - for standard input',
        variadic: true,
        optional: true,
      },
    ],
    options: [
      { flag: edit, description: 'Open the post in $VISUAL or $EDITOR before sending', group: 'Input:' },
      { flag: allowDuplicate, description: 'Create it even if it was created before', group: advancedGroup },
    ],
    examples: [
      'blog create post.md',
      'blog create posts/*.md --status published',
      'blog create post.md --edit',
      'blog create --title "Spring sale" --content-file post.md',
      'blog create --title "Spring sale" --content-md "All inks **20 %** off." --tags sale,ink',
      'blog create --title Notes --content-file - < notes.md',
    ],
    defaults: fromFile,
    toolNote: 'The same post within 24 hours is refused.',
    hints,
    // An empty list of questions makes an edited post go through the review.
    prepare: () => (edited ? () => [] : null),
    done: ({ answer }, { request }) => {
      const status = textAt(answer, ['status']);
      return `Created post "${String(request.body?.title)}"${status === null ? '' : ` (${status})`}`;
    },
    allowDuplicate,
  });

const definition = onePost();

export const command: CommandDefinition = {
  ...definition,
  async run(call) {
    const { ui, session, parsed } = call;
    const patterns = parsed.arguments.file ?? [];
    if (patterns.length === 0 && !isOn(parsed, edit)) return definition.run(call);
    const { expandFiles } = await import('./bulk/file-patterns.ts');
    const files = expandFiles(patterns, session.io.cwd);
    if (files.length > 1) {
      if (isOn(parsed, edit)) throw usageError(`${edit} needs exactly one file (got ${files.length})`);
      const { createPosts } = await import('./bulk/create-posts.ts');
      return createPosts(ui, session, parsed, {
        fields,
        files,
        allowsDuplicates: isOn(parsed, allowDuplicate),
      });
    }
    return createOne(call, files[0]);
  },
};

async function createOne(call: CommandCall, file: string | undefined): Promise<CommandResult | undefined> {
  const { ui, session, parsed } = call;
  const { readDraft, readOnePost } = await import('./bulk/post-files.ts');
  const given = await readBody(session, fields, parsed);
  checkBody(createBlogPost, fields, given);
  if (!isOn(parsed, edit) && file !== undefined) {
    return onePost(await readOnePost(session, file, given)).run({ ...call, parsed: withoutFields(parsed) });
  }
  const draft = file === undefined ? given : (await readDraft(session, file, given)).body;
  const { editPost } = await import('./bulk/edit-post.ts');
  const edited = await editPost(ui, draft);
  try {
    return await onePost(edited.fields, true).run({ ...call, parsed: withoutFields(parsed) });
  } catch (error) {
    ui.saveUserText(`\nYour text:\n\n${edited.text}`);
    throw error;
  }
}

/** The post already contains the values of the flags, perhaps changed in the editor. */
function withoutFields(parsed: ParsedCommand): ParsedCommand {
  const given = new Set([
    '--set',
    '--from-file',
    ...fields.flatMap(({ flag, fileFlag }) => [flag, fileFlag ?? flag]),
  ]);
  return { ...parsed, options: new Map([...parsed.options].filter(([flag]) => !given.has(flag))) };
}
