import { bulkRows } from './bulk.mjs';
import { commandRows } from './command.mjs';
import { completionRows } from './completion.mjs';
import { deliveryRows } from './delivery.mjs';
import { growthRows } from './growth.mjs';
import { limitRows } from './limits.mjs';
import { mcpRows } from './mcp.mjs';
import { packageRows } from './package.mjs';
import { readRows } from './reads.mjs';
import { serviceRows } from './service.mjs';
import { startRows } from './start.mjs';

export const rows = [
  ...startRows,
  ...completionRows,
  ...commandRows,
  ...mcpRows,
  ...bulkRows,
  ...serviceRows,
  ...growthRows,
  ...readRows,
  ...limitRows,
  ...deliveryRows,
  ...packageRows,
];
