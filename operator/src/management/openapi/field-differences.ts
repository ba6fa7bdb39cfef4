/** Fields of the known operations that ours do not have, and why. */

interface FieldDifference {
  readonly reason: string;
  /** `METHOD /path part field`; `*` stands for any characters. */
  readonly fields: readonly string[];
}

export const FIELD_DIFFERENCES: readonly FieldDifference[] = [
  {
    reason: 'A reset is the beginning of a period: `last_reset_at` says when.',
    fields: ['GET * answer *reset_usage'],
  },
  {
    reason: 'The key of REST is known by its hash, and only keys that the operator generates rotate.',
    fields: ['POST /api-keys/{type}/{subType} body rotation_policy', '*last_rotated_at'],
  },
  {
    reason: 'The price of an Integration has one factor.',
    fields: ['*pricing_adjustments.multiplier.*'],
  },
  {
    reason: 'The managed identity is that of the operator.',
    fields: ['POST /secret-references body auth_config.azure_managed_client_id'],
  },
  {
    reason: 'The audit log says who made it.',
    fields: ['GET /secret-references/{secretReferenceId} answer created_by'],
  },
  {
    reason: 'Resources have labels, which kubectl writes.',
    fields: ['*tags'],
  },
  {
    reason: 'Headers may be credentials: they are written into the resource.',
    fields: ['PUT /integrations/{slug}/models body models[].configurations.custom_headers'],
  },
  {
    reason: 'The fields of the account are those of its integration, which is read there.',
    fields: ['*model_config', 'GET /providers/{slug} query include_configurations'],
  },
  {
    reason: 'Another spelling of a member that answers have once.',
    fields: ['GET /guardrails/{guardrailId} answer actions.onFail'],
  },
  {
    reason: 'A policy has a counter for each group of requests; the groups of one policy are read together.',
    fields: [
      'GET /policies/usage-limits* answer *last_reset_at',
      'GET /policies/usage-limits answer data[].value_key_usage_map',
    ],
  },
  {
    reason: 'Nothing is archived: a policy is deleted.',
    fields: ['PUT /policies/* body status'],
  },
  {
    reason: 'A config has no type: what it does is its content.',
    fields: ['GET /configs/{slug}/versions answer data[].type'],
  },
  {
    reason: 'Names have no pictures.',
    fields: ['*answer icon', '*answer data[].icon'],
  },
  {
    reason: 'People of a workspace have operations of their own.',
    fields: ['GET /admin/workspaces/{workspaceId} answer users'],
  },
  {
    reason: 'No call goes to an MCP server: what it offers is not known, and nothing serves an address of ours.',
    fields: [
      'GET /mcp-*/capabilities answer data[].*',
      'GET /mcp-servers answer data[].url',
      '* /mcp-integrations* body configurations.*',
    ],
  },
  {
    reason: 'Values of headers are in a Secret: none comes from a secret reference.',
    fields: ['* /mcp-integrations*secret_mappings[].*'],
  },
  {
    reason: 'The integration is read where it is.',
    fields: ['GET /mcp-servers/{mcpServerId} answer mcp_integration_details.configurations'],
  },
  {
    reason: 'People are named as memberships name them.',
    fields: ['GET /mcp-servers/{mcpServerId}/user-access answer data[].*_name'],
  },
  {
    reason: 'Their names have a dot: rows have `metadata.key` and `metadata.value`.',
    fields: ['GET /logs/{logId} answer metrics.metadata.*'],
  },
  {
    reason: 'URLs of providers are in no log: they may name hosts and accounts.',
    fields: [
      ...['finalUntransformedRequest', 'originalResponse', 'transformedRequest'].flatMap((member) => [
        `GET /logs/{logId} answer ${member}.method`,
        `GET /logs/{logId} answer ${member}.url`,
      ]),
    ],
  },
  {
    reason: 'The row says where its document is.',
    fields: ['GET /logs/{logId} answer log_format'],
  },
];
