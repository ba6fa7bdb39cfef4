import { ORGANISATION } from './organisation.ts';
import { WORKSPACES as OPERATIONS } from './workspaces.ts';

export const WORKSPACES = [...OPERATIONS, ...ORGANISATION];
