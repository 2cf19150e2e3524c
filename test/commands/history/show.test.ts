import { expect, test } from 'vitest';
import { setScene } from '../../helpers/scene.ts';

test('history show of a change shows what was before and after', async () => {
  const { machine } = await setScene();
  const show = async (operation: string) => {
    const { stdout: ids } = await machine.run(['history', 'list', '--operation', operation, '-q']);
    return (await machine.run(['history', 'show', ids.split('\n')[0] ?? ''])).stdout;
  };
  await machine.run(['settings', 'save', '--quiet-hours-start', '21:00']);
  await machine.run(['store', 'update', '--name', 'Before', '--cashback-bp', '100']);
  const first = await show('store.update');
  await machine.run(['store', 'update', '--name', 'After', '--cashback-bp', '250']);

  expect(await show('settings.save')).toMatch(/^ {2}Quiet hours start +22:00 → 21:00$/m);
  expect(first).toMatch(/^ {2}Name +.+ → Before$/m);
  const second = await show('store.update');
  expect(second).toMatch(/^ {2}Name +Before → After$/m);
  expect(second).toMatch(/^ {2}Cashback +100 bp \(1 %\) → 250 bp \(2\.5 %\)$/m);
  expect(second).not.toMatch(/^ {2}Name +After$/m);
});
