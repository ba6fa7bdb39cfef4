import { describe, expect, test } from 'vitest';
import { type ControlPlaneAccess, runKubectl } from '../../cluster/index.ts';
import { createClient, serviceUrl } from '../kit/gateways.ts';
import { allReady, applyObjects, conditionOf, GATEHOUSE, isTrue, mergePatch, pathOf, readObject } from '../kit/kube.ts';
import { scaleOperator } from '../kit/operator.ts';
import { createTeam, resource, virtualKey } from '../kit/team.ts';
import { eventually } from '../kit/wait.ts';

export function brokenResources(controlPlane: () => ControlPlaneAccess): void {
  describe('a broken resource', () => {
    test('names the field with the missing reference, costs nothing else, and heals', async () => {
      const cluster = controlPlane();
      const team = await createTeam(cluster);
      await using client = createClient();
      const service = await serviceUrl(cluster);
      const ask = async (config: string): Promise<number> =>
        (await client.chat(service, team, { 'x-gw-config': config })).status;

      const path = pathOf(GATEHOUSE, team.name, 'gatewayconfigs/later');
      await applyObjects(cluster, [
        resource('GatewayConfig', { namespace: team.name, name: 'later' }, { config: { provider: '@missing' } }),
      ]);
      const refused = await eventually('the refusal', async () => {
        const condition = conditionOf(await readObject(cluster, path), 'ResolvedRefs');
        return condition?.status === 'False' && condition;
      });
      expect(refused.message).toContain('spec.config.provider');
      expect(isTrue(await readObject(cluster, path), 'Ready')).toBe(false);
      expect(await ask('later')).not.toBe(200);
      expect(await ask('main')).toBe(200);

      await applyObjects(cluster, [virtualKey(team.name, 'missing', 'openai')]);
      await allReady(cluster, team.name, 'virtualkeys,gatewayconfigs');
      expect(await ask('later')).toBe(200);
    });

    test('is refused with the path of its field before it is stored', async () => {
      const cluster = controlPlane();
      const team = await createTeam(cluster);
      const spec = { config: { provider: '@first', cache: { mode: 'semantic' } } };
      const input = JSON.stringify(resource('GatewayConfig', { namespace: team.name, name: 'new' }, spec));
      const { code, stderr } = await cluster.kubectl(['apply', '-f', '-'], { input });
      expect(code).not.toBe(0);
      expect(stderr).toContain('spec.config.cache.embeddingModel');
    });

    test('that was stored without the webhook keeps its last good content, shows the reason, and heals', async () => {
      const cluster = controlPlane();
      const team = await createTeam(cluster);
      await using client = createClient();
      const service = await serviceUrl(cluster);
      const path = pathOf(GATEHOUSE, team.name, 'gatewayconfigs/main');
      const serves = async (): Promise<boolean> => (await client.chat(service, team)).status === 200;

      await scaleOperator(cluster, 0);
      await mergePatch(cluster, path, { spec: { config: { cache: { mode: 'semantic' } } } });
      expect(await serves()).toBe(true);
      await scaleOperator(cluster, 2);
      const refused = await eventually('the refusal', async () => {
        const condition = conditionOf(await readObject(cluster, path), 'Accepted');
        return condition?.status === 'False' && condition;
      });
      expect(refused.message).toContain('spec.config.cache.embeddingModel');
      expect(await serves()).toBe(true);

      await mergePatch(cluster, path, { spec: { config: { cache: null } } });
      await eventually('the healed config', async () => isTrue(await readObject(cluster, path), 'Ready'));
      expect(await serves()).toBe(true);
      await eventually('every resource of the team ready', async () => {
        const listed = await runKubectl(cluster, ['get', 'gatehouse', '-n', team.name, '--no-headers']);
        return listed
          .trim()
          .split('\n')
          .every((line) => / True +Succeeded /.test(line));
      });
    });
  });
}
