/** A token that several requests waited for was lost for all of them when the client of the first one went away. */
import { expect, test } from 'vitest';
import { AppError } from '../../gateway/src/errors/index.ts';
import { createByteBudget } from '../../gateway/src/lib/byte-budget.ts';
import { createProviderServices } from '../../gateway/src/providers/services.ts';

test('gives a request its token after the request that started the exchange is gone', async () => {
  const client = { send: () => Promise.reject(new Error('boom')), close: async () => {} };
  const limits = { headersTimeoutMs: 1, idleTimeoutMs: 1 };
  const services = createProviderServices({ client, limits, env: () => undefined, now: () => 0 })(
    'resource',
    createByteBudget(1_000).open(),
  );
  const gone = Promise.withResolvers<never>();
  const first = services.cached('token', () => gone.promise);
  const second = services.cached('token', async () => ({ value: 'token', ttlMs: 1_000 }));
  gone.reject(new AppError('CLIENT_CLOSED'));
  await expect(first).rejects.toMatchObject({ code: 'CLIENT_CLOSED' });
  expect(await second).toBe('token');
});
