/** All operations that are served, by family. */
import { ANALYTICS } from './analytics/index.ts';
import { API_KEYS } from './api-keys/index.ts';
import { AUDIT_LOGS } from './audit-logs.ts';
import { CONFIGS } from './configs/index.ts';
import type { BoundOperation } from './family.ts';
import { FEEDBACK } from './feedback.ts';
import { GUARDRAILS } from './guardrails/index.ts';
import { INTEGRATIONS } from './integrations/index.ts';
import { LOG_EXPORTS } from './log-exports.ts';
import { LOGS } from './logs/index.ts';
import { MCP } from './mcp/index.ts';
import { PEOPLE } from './people/index.ts';
import { PROMPTS } from './prompts/index.ts';
import { PROVIDERS } from './providers.ts';
import { RATE_LIMIT_POLICIES } from './rate-limit-policies.ts';
import { SCIM } from './scim/index.ts';
import { SECRET_REFERENCES } from './secret-references/index.ts';
import { SIGN_IN } from './sign-in/index.ts';
import { USAGE_LIMIT_POLICIES } from './usage-limit-policies.ts';
import { VIRTUAL_KEYS } from './virtual-keys.ts';
import { WORKSPACES } from './workspaces/index.ts';

export const OPERATIONS: readonly BoundOperation[] = [
  ...ANALYTICS,
  ...API_KEYS,
  ...AUDIT_LOGS,
  ...CONFIGS,
  ...FEEDBACK,
  ...GUARDRAILS,
  ...INTEGRATIONS,
  ...LOG_EXPORTS,
  ...LOGS,
  ...MCP,
  ...PEOPLE,
  ...PROMPTS,
  ...PROVIDERS,
  ...RATE_LIMIT_POLICIES,
  ...SCIM,
  ...SECRET_REFERENCES,
  ...SIGN_IN,
  ...USAGE_LIMIT_POLICIES,
  ...VIRTUAL_KEYS,
  ...WORKSPACES,
];
