/** Asks MCP servers for a session. docs/behaviour/management.md#mcp-servers */
export { createMcpTest, type McpTest, type McpTestOptions, type McpTestResult, type TestedServer } from './mcp-test.ts';
