/** A standalone process whose variables say where its request log is. */
import { createMockProvider } from '@gatehouse/standalone/mock-provider';
import { expect } from 'vitest';
import { z } from 'zod';
import { addressOf, startGatehouse, tempFolder } from '../../standalone/src/testing/index.ts';
import { waitFor } from './wait-for.ts';

const LIST = z.object({ total: z.number(), data: z.array(z.looseObject({})) });
const ADMIN = 'gwk_given_0123456789abcdef0123456789';
const WORKSPACE =
  'apiVersion: gatehouse.dev/v1alpha1\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n';

/** Fails unless the management API of the process shows the row of a request. */
export async function expectOwnRow(variables: Readonly<Record<string, string>>): Promise<void> {
  const mock = await createMockProvider();
  using folder = tempFolder({ 'team.yaml': WORKSPACE });
  try {
    const where = ['--resources', folder.path, '--data', `${folder.path}/.data`];
    await using child = startGatehouse(['standalone', ...where, '--port', '0', '--admin-port', '0'], {
      ...{ GATEHOUSE_ADMIN_KEY: ADMIN, GATEHOUSE_DRAIN_ACCEPT_MS: '0' },
      ...variables,
    });
    const url = await addressOf(child);
    const headers = { authorization: `Bearer ${ADMIN}` };
    const config = JSON.stringify({ provider: 'openai', api_key: 'x', custom_host: `${mock.url}/v1` });
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'x-gw-config': config },
      body: JSON.stringify({ model: 'mock-small', messages: [{ role: 'user', content: 'hello' }] }),
    });
    expect(answer.status, await answer.text()).toBe(200);
    const listed = await waitFor(
      async () => {
        const { total, data } = LIST.parse(await (await fetch(`${url}/v1/logs`, { headers })).json());
        return total === 1 && data.length === 1 ? data : undefined;
      },
      { what: 'the row' },
    );
    expect(listed).toMatchObject([{ ai_model: 'mock-small', response_status_code: 200 }]);
    child.kill('SIGTERM');
    expect(await child.ended).toBe(0);
  } finally {
    await mock.close();
  }
}
