/** What organisation and workspace both decide; management-notes 2.4, 3.3 and 5.2. */
import { z } from 'zod';
import { int, mapList } from '../../schema/index.ts';

/** Rights of roles that owners may switch; management-notes 2.4. */
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

export const roleToggles = mapList(
  z.strictObject({
    name: z.enum(ROLE_TOGGLES).meta({ description: 'name is the right that is switched.' }),
    enabled: z.boolean().meta({ description: 'enabled grants or withdraws the right.' }),
  }),
  ['name'],
  { description: 'roleToggles switch rights of roles; a workspace overrides the organisation.', max: 64 },
);

export const keyPolicy = z
  .strictObject({
    maxLifetimeDays: int('maxLifetimeDays is the longest lifetime of a new key, in days.', 1, 3650).optional(),
    userKeyRotationDays: int('userKeyRotationDays rotates every new user key so often, in days.', 1, 365).optional(),
  })
  .meta({ description: 'keyPolicy bounds new API keys.' });
