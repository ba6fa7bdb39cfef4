/** A process with an empty workspace, and a file with an object of every Kind. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PeopleDatabase } from '../../management/index.ts';
import { ADMIN_KEY, startTestProcess, tempFolder } from '../../testing/index.ts';
import { type Ran, runInTest } from '../testing.ts';

export const API = 'apiVersion: gatehouse.dev/v1alpha1';
export const CANARY = 'canary-of-a-credential';
const OBJECTS = `
apiVersion: v1
kind: Secret
metadata: { name: accounts, namespace: team-a }
stringData: { openai: ${CANARY}, target: ${CANARY}-2, apiKey: ${CANARY}-3 }
---
${API}
kind: VirtualKey
metadata: { name: main, namespace: team-a }
spec:
  displayName: Main account
  provider: azure-openai
  secretRef: { name: accounts, key: openai }
  settings: { resource_name: ours }
  deployments:
    - { deploymentId: gpt, alias: gpt-4o, apiVersion: "2024-10-21", isDefault: true }
  models: [gpt-4o]
  usageLimits:
    - { name: main, creditLimit: "100.50", alertThreshold: "90", periodicReset: monthly }
  rateLimits:
    - { type: requests, unit: rpm, value: 10 }
  expiresAt: "2040-01-01T00:00:00Z"
---
${API}
kind: Guardrail
metadata: { name: checks, namespace: team-a }
spec:
  checks:
    - { id: default.contains, parameters: { words: [a] } }
    - { id: lakera.guard, parametersSecretRef: { name: accounts } }
  actions: { deny: true, onFail: { feedback: { value: -2, metadata: { why: a } } } }
---
${API}
kind: GatewayConfig
metadata: { name: routes, namespace: team-a }
spec:
  displayName: Routes
  config:
    strategy: { mode: fallback, onStatusCodes: [429] }
    targets:
      - provider: "@main"
        overrideParams: { max_tokens: 5 }
      - provider: openai
        secretRef: { name: accounts, key: target }
        retry: { attempts: 2 }
---
${API}
kind: RateLimitPolicy
metadata: { name: rate, namespace: team-a }
spec:
  conditions: [{ key: model, values: ["*"] }]
  groupBy: [{ key: api_key }]
  type: requests
  unit: rpm
  value: 100
---
${API}
kind: UsageLimitPolicy
metadata: { name: budget, namespace: team-a }
spec:
  displayName: Budget
  description: Why
  conditions: [{ key: model, excludes: ["@main/gpt-4o"] }]
  groupBy: [{ key: metadata.team }]
  creditLimit: "20"
  periodicResetDays: 7
---
${API}
kind: ApiKey
metadata: { name: app, namespace: team-a }
spec:
  type: workspace-service
  scopes: [completions.write]
  defaults: { metadata: { app: ours }, configRef: { name: routes }, allowConfigOverride: false }
`;
export const NAMES = [
  'VirtualKey/main',
  'Guardrail/checks',
  'GatewayConfig/routes',
  'RateLimitPolicy/rate',
  'UsageLimitPolicy/budget',
  'ApiKey/app',
];

export type Installation = Awaited<ReturnType<typeof openInstallation>>;

/** `run` names the workspace where the arguments do not. */
export async function openInstallation(people?: PeopleDatabase) {
  const served = tempFolder({
    'team.yaml': `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n`,
  });
  const files = tempFolder({ 'objects.yaml': OBJECTS });
  const running = await startTestProcess(served.path, {}, people);
  const pathOf = (name: string): string => join(files.path, name);
  const run = (...args: string[]): Promise<Ran> =>
    runInTest([...args, ...(args.includes('-w') ? [] : ['-w', 'team-a']), '--url', running.url], {
      GATEHOUSE_API_KEY: ADMIN_KEY,
    });
  const apply = (...more: string[]): Promise<Ran> => run('apply', '-f', pathOf('objects.yaml'), ...more);
  return {
    served,
    files,
    url: running.url,
    run,
    pathOf,
    apply,
    applyAll: () => apply('--new-keys', pathOf('keys.yaml')),
    /** Replaces a part of the file; throws where there is none. */
    edit: (from: string | RegExp, to: string): void => {
      const text = readFileSync(pathOf('objects.yaml'), 'utf8');
      const edited = text.replace(from, to);
      if (edited === text) throw new Error(`${String(from)} is not in the file`);
      files.write('objects.yaml', edited);
    },
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]();
      served[Symbol.dispose]();
      files[Symbol.dispose]();
    },
  };
}
