import { z } from 'zod';
import { mapList, text } from '../schema/index.ts';
import { defineKind, displayName, mcpCapabilities, nameRef, statusOf } from './parts/index.ts';

const access = z.strictObject({
  user: text('user is the person, as WorkspaceMembers name it.', 255),
  enabled: z.boolean().meta({ description: 'enabled is whether the person may use the server.' }),
});

const spec = z
  .strictObject({
    displayName: displayName.optional(),
    description: text('description is the purpose of the server.', 500).optional(),
    integrationRef: nameRef(
      'integrationRef names the McpIntegration: one of the workspace, else one of the organisation that is granted to it.',
    ).meta({ immutable: 'integrationRef cannot change; make another McpServer' }),
    capabilities: mcpCapabilities(
      'capabilities are switches of single capabilities; what the integration hides stays hidden.',
    ).optional(),
    defaultUserAccess: z
      .enum(['allow', 'deny'])
      .meta({ description: 'defaultUserAccess applies to people that are not in userAccess.' })
      .default('allow'),
    userAccess: mapList(access, ['user'], {
      description: 'userAccess are the people with access of their own.',
      max: 1000,
    }).optional(),
  })
  .meta({ description: 'spec is the desired state of the server.' });

export const mcpServer = defineKind({
  kind: 'McpServer',
  plural: 'mcpservers',
  shortNames: ['gwmcp'],
  summary: 'An McpIntegration in one workspace, with who may use it: a record, no call goes there yet.',
  spec,
  status: statusOf({}),
  columns: [
    { name: 'Integration', type: 'string', jsonPath: '.spec.integrationRef.name' },
    { name: 'Access', type: 'string', jsonPath: '.spec.defaultUserAccess' },
  ],
});
