import { describe, expect, test } from 'vitest';
import { type ControlPlaneAccess, runKubectl } from '../../cluster/index.ts';
import { FLEET, fleetServes } from '../kit/gateways.ts';
import { conditionOf, isTrue, readObject } from '../kit/kube.ts';
import { commandsOf } from '../kit/notes.ts';
import { OPERATOR_NAMESPACE, operatorIsReady } from '../kit/operator.ts';
import { openCheckout, README } from '../kit/readme.ts';
import { eventually } from '../kit/wait.ts';

/** A row of `kubectl get gatehouse` whose columns READY and REASON are as they should be. */
const READY_ROW = / True +Succeeded /;

/** Of the examples. */
const EXAMPLE = { key: 'gwk_example_key_for_trying_only', model: '@openai/gpt-4o-mini' } as const;

export function install(controlPlane: () => ControlPlaneAccess): void {
  describe('the README', () => {
    test('installs a fleet of three pods, applies the examples and answers a request', async () => {
      const cluster = controlPlane();
      await using reader = await openCheckout(cluster);
      const startedAt = performance.now();
      for (const block of README.install) await reader.run(block);
      console.log(`installed and ready after ${Math.round((performance.now() - startedAt) / 1000)} s`);
      const [examples = ''] = README.examples;
      await reader.run(examples);

      await eventually('every resource ready', async () => {
        const rows = await reader.run(lastLineOf(examples));
        const objects = rows.split('\n').filter((row) => row.includes('.gatehouse.dev/'));
        return objects.length > 10 && objects.every((row) => READY_ROW.test(row));
      });
      await fleetServes(cluster, 3);
      const fleet = await readObject(cluster, FLEET);
      expect(isTrue(fleet, 'Ready')).toBe(true);
      expect(conditionOf(fleet, 'Programmed')?.message).toContain('3/3');
      await operatorIsReady(cluster, 2);
      for (const part of ['statefulset', 'deployment/gatehouse-management'])
        await runKubectl(cluster, ['-n', OPERATOR_NAMESPACE, 'rollout', 'status', part, '--timeout=300s']);

      const [forward = '', request = ''] = [README.forward[0], README.request[0]];
      await using _forwarding = await reader.forward(forward);
      expect(JSON.parse(await reader.run(request))).toMatchObject({
        object: 'chat.completion',
        choices: [{ message: { content: expect.stringContaining('Say hello') } }],
      });
    });
  });

  describe('the notes of the chart', () => {
    test('have commands that work as they stand', async () => {
      await using reader = await openCheckout(controlPlane());
      const commands = commandsOf(await reader.run(`helm get notes gatehouse --namespace ${OPERATOR_NAMESPACE}`));
      const taking = (pattern: RegExp): readonly string[] => commands.filter((command) => pattern.test(command));
      for (const command of taking(/ (rollout status|wait) /)) await reader.run(command);
      const [grant = ''] = taking(/ create rolebinding /);
      await reader.run('kubectl create namespace notes');
      await reader.run(grant.replace('NAMESPACE', 'notes'));
      await reader.run('kubectl delete namespace notes');
      expect(await reader.run(taking(/ get gatehouse /)[0] ?? '')).toMatch(READY_ROW);

      const [forward = '', request = ''] = [taking(/ port-forward /)[0], taking(/^curl /)[0]];
      await using _forwarding = await reader.forward(forward.replace(/8787:8787 &$/, '8787'));
      const asked = `KEY=${EXAMPLE.key}\n${request.replace('@PROVIDER/MODEL', EXAMPLE.model)}`;
      expect(JSON.parse(await reader.run(asked))).toMatchObject({ object: 'chat.completion' });
      expect(commands).toHaveLength(7);
    });
  });
}

const lastLineOf = (block: string): string => block.trim().split('\n').at(-1) ?? '';
