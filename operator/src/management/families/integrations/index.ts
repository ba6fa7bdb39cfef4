import { INTEGRATIONS as ACCOUNTS } from './integrations.ts';
import { INTEGRATION_MODELS } from './models.ts';
import { INTEGRATION_WORKSPACES } from './workspaces.ts';

export const INTEGRATIONS = [...ACCOUNTS, ...INTEGRATION_MODELS, ...INTEGRATION_WORKSPACES];
