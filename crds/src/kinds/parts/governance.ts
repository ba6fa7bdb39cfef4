/** Settings that both Organisation and Workspace have. */
import { z } from 'zod';
import { int, mapList } from '../../schema/index.ts';

/** Rights of roles that can be switched on and off. */
export const ROLE_TOGGLES = [
  'managersViewLogs',
  'membersViewLogs',
  'orgAdminsViewLogs',
  'managersViewLogMetadata',
  'membersViewLogMetadata',
  'orgAdminsViewLogMetadata',
  'managersViewAnalytics',
  'membersViewAnalytics',
  'managersViewAllData',
  'membersViewAllData',
  'managersViewPrompts',
  'managersWritePrompts',
  'membersViewPrompts',
  'membersWritePrompts',
  'managersViewGuardrails',
  'managersWriteGuardrails',
  'membersViewGuardrails',
  'managersViewProviders',
  'managersManageProviders',
  'membersViewProviders',
  'managersWriteWsIntegrations',
  'managersWriteWsMcpIntegrations',
  'managersWriteMcpServers',
  'managersViewApiKeys',
  'managersManageApiKeys',
  'membersViewApiKeys',
  'membersManageApiKeys',
] as const;
export type RoleToggle = (typeof ROLE_TOGGLES)[number];

export const roleToggles = mapList(
  z.strictObject({
    name: z.enum(ROLE_TOGGLES).meta({ description: 'name is the name of the right.' }),
    enabled: z.boolean().meta({ description: 'enabled true grants the right, false withdraws it.' }),
  }),
  ['name'],
  { description: 'roleToggles switch rights of roles on and off; a workspace overrides the organisation.', max: 64 },
);

export const keyPolicy = z
  .strictObject({
    maxLifetimeDays: int(
      'maxLifetimeDays is the longest lifetime of a new key, in days: it must have an expiresAt within them.',
      1,
      3650,
    ).optional(),
    userKeyRotationDays: int(
      'userKeyRotationDays is the rotation period, in days, of keys of people that the operator generates.',
      1,
      365,
    ).optional(),
  })
  .meta({
    description: 'keyPolicy bounds new API keys; members of a Workspace replace those of the Organisation.',
  });
