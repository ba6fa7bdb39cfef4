import { expect, test } from 'vitest';
import { formatPath } from '../schema/index.ts';
import { routingNodeOf } from './node.ts';

test('a config of a Kind becomes a node with credentials by id', () => {
  const node = routingNodeOf(
    {
      strategy: { mode: 'fallback' },
      targets: [
        { provider: '@main' },
        { provider: 'bedrock', secretRef: { name: 'aws' }, settings: { aws_region: 'eu-central-1' } },
      ],
    },
    ({ name }, path) => `${name} at ${formatPath(path)}`,
  );
  expect(node).toEqual({
    strategy: { mode: 'fallback' },
    targets: [
      { provider: '@main' },
      { provider: 'bedrock', credential: 'aws at targets[1]', settings: { aws_region: 'eu-central-1' } },
    ],
  });
});
