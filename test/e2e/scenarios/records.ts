import { logs } from '@gatehouse/crds/rest';
import { describe, expect, test } from 'vitest';
import { type ControlPlaneAccess, runKubectl } from '../../cluster/index.ts';
import { createClient, serviceUrl } from '../kit/gateways.ts';
import { OPERATOR_NAMESPACE } from '../kit/operator.ts';
import { createTeam } from '../kit/team.ts';
import { eventually } from '../kit/wait.ts';

const ADMIN_KEY = ['get', 'secret', 'gatehouse-admin-key', '-o', 'go-template={{.data.key | base64decode}}'];

export function records(controlPlane: () => ControlPlaneAccess): void {
  describe('an installation without values', () => {
    test('keeps a request log in its PostgreSQL, which the management API reads with an account of its own', async () => {
      const cluster = controlPlane();
      const key = await runKubectl(cluster, ['-n', OPERATOR_NAMESPACE, ...ADMIN_KEY]);
      const [team, url] = [await createTeam(cluster), await serviceUrl(cluster)];
      await using client = createClient();
      expect(await client.chat(url, team)).toMatchObject({ status: 200 });

      const read = async (path: string): Promise<unknown> => {
        const answer = await fetch(`${url}/v1${path}`, { headers: { 'x-gw-api-key': key } });
        if (answer.status !== 200) throw new Error(`${path} was answered with ${await answer.text()}`);
        return answer.json();
      };
      const row = await eventually('a row of the request', async () => {
        const found = await read(`/logs?workspace_id=${team.name}`).catch(() => undefined);
        return logs.list.answer.safeParse(found).data?.data[0];
      });
      expect(row).toMatchObject({ workspace_slug: team.name, response_status_code: 200, virtual_key: 'first' });
      expect(await read(`/logs/${row.id}`)).toMatchObject({
        request: { body: { messages: [{ content: 'Say hello' }] } },
        response: { body: { object: 'chat.completion' } },
      });
    });
  });
}
