import { bulkRows } from './bulk.mjs';
import { commandRows } from './command.mjs';
import { completionRows } from './completion.mjs';
import { packageRows } from './package.mjs';
import { serviceRows } from './service.mjs';
import { startRows } from './start.mjs';

export const rows = [
  ...startRows,
  ...completionRows,
  ...commandRows,
  ...bulkRows,
  ...serviceRows,
  ...packageRows,
];
