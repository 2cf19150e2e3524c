import { memoize } from '../../base/memoize.ts';
import { busy } from '../model/errors.ts';
import type { Health } from '../storage/health.ts';
import { sendViewer, showReference } from './api-reference.ts';
import type { Content, HttpRequest } from './http-message.ts';
import { describeService, jsonResponse } from './operation-handlers.ts';

/** What needs no key: `/healthz`, `/readyz`, and `/openapi.json` and `/docs`, which `/` names, and the viewer that `/docs` loads. */
export function publicRoutes(health: Health, version: string) {
  // One buffer each, which all responses share.
  const reference = memoize(showReference);
  const description = memoize(
    (): Content => ({ status: 200, body: Buffer.from(JSON.stringify(describeService(version))) }),
  );
  const answers: Readonly<Record<string, (request: HttpRequest) => Promise<Content>>> = {
    '/': async () =>
      jsonResponse(200, { name: 'Store Management Service', openapi: 'openapi.json', docs: 'docs' }),
    '/openapi.json': async () => description(),
    '/docs': async () => reference(),
    '/docs/viewer.js': async ({ header }) => sendViewer(header('accept-encoding')),
    '/healthz': async () => jsonResponse(200, { ok: true }),
    async '/readyz'({ isStopping }) {
      if (isStopping) throw busy('The service is stopping');
      await health.check();
      return jsonResponse(200, { ok: true });
    },
  };
  return Object.entries(answers).map(([path, answer]) => ({ method: 'GET', path, answer }));
}
