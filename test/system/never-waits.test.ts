import { test } from 'vitest';
import { expectNoneWaits } from '../acceptance/every-command.ts';

// A silent standard input is in test/acceptance.
test.each(['closed', 'CI', 'file'] as const)('every command ends by itself: %s', expectNoneWaits);
