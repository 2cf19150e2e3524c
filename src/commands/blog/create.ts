import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import type { Context } from '../../cli/command/context.ts';
import { usageError } from '../../cli/core/errors.ts';
import type { ExitCode } from '../../cli/core/exit-codes.ts';
import { isOn, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import { deriveFlags } from '../../cli/input/field-flags.ts';
import { checkBody, readBody } from '../../cli/input/request-body.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { refuseRepeated } from '../../cli/operation/run/duplicate-guard.ts';
import { perform } from '../../cli/operation/run/send.ts';
import { createBlogPost } from '../../contract/operations/blog.ts';
import { allowDuplicate, slugsAreUnique } from './bulk/flags.ts';

const edit = '--edit';

const hints = { fileFlags: { contentMd: 'content-file' } };
const fields = deriveFlags(createBlogPost.body, hints);

/** The command of one post, whose fields may come from a file: flags come before them. */
const onePost = (fromFile: Readonly<Record<string, unknown>> = {}, edited = false) =>
  operationCommand({
    operation: createBlogPost,
    description: `Create a blog post, from flags or from a Markdown file. YAML front matter between lines of --- holds the
fields (title, slug, excerpt, tags, status, scheduledAt, …), the rest is the content; without a title in it, the first
heading "# …" is the title, and stays in the content. Flags come before front matter. The service decides what is not
given, such as whether it is a draft. The same post within 24 hours is refused: ${allowDuplicate} creates it again.
The slug of a file is that of its front matter, else its name, whether it is given alone or among others. Several files
make a post each. Run again, the command goes on where it stopped and leaves alone what is there; exit code then: that of
the gravest result.`,
    arguments: [
      {
        name: 'file',
        description: 'Markdown with YAML front matter; - reads stdin',
        variadic: true,
        optional: true,
      },
    ],
    options: [
      { flag: edit, description: 'Open the post in $VISUAL or $EDITOR before it is sent', group: 'Input:' },
      { flag: allowDuplicate, description: 'Create it although it was created before', group: 'Safety:' },
      {
        flag: slugsAreUnique,
        description:
          'Several files: the service refuses a slug that is taken, so a lost answer can be settled by it',
        group: 'Safety:',
      },
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
    hints,
    // What came out of an editor is looked at as a whole before it is sent, like what was asked for.
    prepare: () => (edited ? () => [] : null),
    perform: (run) => perform(run, { check: refuseRepeated(run, allowDuplicate) }),
  });

const definition = onePost();

export const command: CommandDefinition = {
  ...definition,
  async run(context, parsed) {
    const patterns = parsed.arguments.file ?? [];
    if (patterns.length === 0 && !isOn(parsed, edit)) return definition.run(context, parsed);
    const { expandFiles } = await import('./bulk/file-patterns.ts');
    const files = expandFiles(patterns, context.io.cwd);
    if (files.length > 1) {
      if (isOn(parsed, edit)) throw usageError(`${edit} takes one file, and ${files.length} are given`);
      const { createPosts } = await import('./bulk/create-posts.ts');
      return createPosts(context, fields, parsed, files);
    }
    return createOne(context, parsed, files[0]);
  },
};

async function createOne(
  context: Context,
  parsed: ParsedCommand,
  file: string | undefined,
): Promise<ExitCode | undefined> {
  const { readDraft, readOnePost } = await import('./bulk/post-files.ts');
  const given = await readBody(context, fields, parsed);
  checkBody(createBlogPost, fields, given);
  if (!isOn(parsed, edit) && file !== undefined) {
    return onePost(await readOnePost(context, file, given)).run(context, withoutFields(parsed));
  }
  const draft = file === undefined ? given : (await readDraft(context, file, given)).body;
  const { editPost } = await import('./bulk/edit-post.ts');
  const edited = await editPost(context, draft);
  try {
    return await onePost(edited.fields, true).run(context, withoutFields(parsed));
  } catch (error) {
    context.noticeToCopy(`\nYour text was:\n\n${edited.text}`);
    throw error;
  }
}

/** What flags gave stands in the post already, and may have been changed in the editor. */
function withoutFields(parsed: ParsedCommand): ParsedCommand {
  const given = new Set([
    '--set',
    '--from-file',
    ...fields.flatMap(({ flag, fileFlag }) => [flag, fileFlag ?? flag]),
  ]);
  return { ...parsed, options: new Map([...parsed.options].filter(([flag]) => !given.has(flag))) };
}
