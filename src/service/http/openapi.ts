import { type BodySchemas, buildOpenApi } from '../../contract/openapi.ts';
import { handlers } from './operation-handlers.ts';

/** The OpenAPI description of this service, with the limits that it enforces. `version` is that of the program. */
export function describeService(version: string): object {
  const bodies = Object.entries(handlers).map(([id, { input }]) => [id, input]);
  return buildOpenApi(version, Object.fromEntries(bodies) as BodySchemas);
}
