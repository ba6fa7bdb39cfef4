/** `GET /model-configs/pricing/{provider}/{model}`: prices of the bundled catalogue, for anyone; docs/behaviour/cost.md. */
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { type Catalogue, toListedPrice } from '../cost/index.ts';

/** Longest name that is looked up. */
const MAX_MODEL_CHARS = 256;
/** Prices change with the version of the gateway: an hour keeps repeated questions away from it. */
const CACHEABLE = 'public, max-age=3600';

export function addPriceList(
  app: FastifyInstance,
  catalogue: Pick<Catalogue, 'find'>,
  traced: onRequestHookHandler,
): void {
  app.get('/model-configs/pricing/:provider/*', { onRequest: traced, exposeHeadRoute: true }, (request, reply) => {
    const { provider = '', '*': model = '' } = request.params as Readonly<Record<string, string>>; // segments of the path
    const price = model.length > MAX_MODEL_CHARS ? undefined : catalogue.find(provider, model);
    reply.header('cache-control', CACHEABLE);
    if (price === undefined) reply.code(404).send({ error: 'No price is listed for this model of this provider' });
    else reply.send(toListedPrice(price));
  });
}
