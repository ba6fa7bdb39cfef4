import { expect, test } from 'vitest';
import type { FileProblem } from '../../resource-folder/index.ts';
import { mayChangePrices } from './price-problems.ts';

const problem = (
  object: string | undefined,
  path = 'spec',
  consequences: readonly FileProblem[] = [],
): FileProblem => ({
  ...{ file: 'a.yaml', line: 1, column: 1, path, message: 'is wrong', consequences },
  ...(object === undefined ? {} : { object }),
});

test.for([
  { rule: 'a price', of: problem('ModelPricing/a'), wanted: true },
  { rule: 'an account', of: problem('VirtualKey/main', 'spec.provider'), wanted: true },
  { rule: 'a file', of: problem(undefined), wanted: true },
  { rule: 'a kind that is none', of: problem('ModelPrice/a', 'kind'), wanted: true },
  { rule: 'the namespace of a Workspace', of: problem('Workspace/team-a', 'spec.namespace'), wanted: true },
  { rule: 'defaults of a Workspace', of: problem('Workspace/team-a', 'spec.defaults.configRef.name'), wanted: false },
  {
    rule: 'defaults because of which an account is left out',
    of: problem('Workspace/team-a', 'spec.defaults.none', [problem('VirtualKey/main', 'metadata.namespace')]),
    wanted: true,
  },
  { rule: 'a key', of: problem('ApiKey/app', 'spec.sha256'), wanted: false },
  { rule: 'a config', of: problem('GatewayConfig/routes', 'spec.config', [problem('ApiKey/app')]), wanted: false },
])('$rule: $wanted', ({ of, wanted }) => {
  expect(mayChangePrices(of)).toBe(wanted);
});
