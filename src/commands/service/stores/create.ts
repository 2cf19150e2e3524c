import { usageError } from '../../../cli/core/errors.ts';
import { optionValue } from '../../../cli/core/parsed-command.ts';
import { line } from '../../../cli/core/sanitize.ts';
import { createStore } from '../../../service/index.ts';
import { afterOption, eachLine, linesOption } from '../operator/lines.ts';
import { operatorCommand } from '../operator/operator-command.ts';

export const command = operatorCommand({
  description:
    'Create a store in the database of the service, or many. This needs write access to the database, not a key.',
  options: [
    { flag: '--name', value: 'TEXT', description: 'Name of the store' },
    { flag: '--slug', value: 'TEXT', description: 'URL slug (default: derived from the name)' },
    { flag: '--currency', value: 'CODE', description: 'Currency (default EUR)' },
    { flag: '--timezone', value: 'ZONE', description: 'Time zone (default UTC)' },
    linesOption('--names-from', 'a store for each line of a file, which is its name; prints the ids'),
    afterOption,
  ],
  examples: [
    'service stores create --name "My store"',
    'service stores create --names-from names.txt > ids.txt',
  ],
  async run(operator) {
    const { ui, parsed, need, open, next, printChanged } = operator;
    const slug = optionValue(parsed, '--slug');
    const currency = optionValue(parsed, '--currency');
    const timezone = optionValue(parsed, '--timezone');
    const options = {
      mayBeNew: true,
      hint: 'fix the value and run the command again',
      flags: { name: '--name', slug: '--slug', defaultCurrency: '--currency', timezone: '--timezone' },
    };
    if (parsed.options.has('--names-from')) {
      if (slug !== undefined || parsed.options.has('--name')) {
        throw usageError('--names-from cannot be used with --name or --slug');
      }
      await eachLine(operator, '--names-from', {
        options,
        run: (storage, name) => createStore(storage, { name, currency, timezone }),
        show: ({ id }) => line`${id}`,
      });
      return;
    }
    const { '--name': name } = await need(['--name']);
    const store = await open((storage) => createStore(storage, { name, slug, currency, timezone }), options);
    printChanged(`Created store "${store.name}"`, store);
    if (ui.quiet || ui.json) return;
    ui.noticeUnwrapped(line`Next: ${next(`keys create --store ${store.id} --preset owner`)}`);
  },
});
