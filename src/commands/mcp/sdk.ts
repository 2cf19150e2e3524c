// A separate bundle: the package of the protocol, and what makes schemas. No other command loads it.
export type {
  CallToolResult,
  InputRequiredResult,
  JSONObject,
  ServerContext,
} from '@modelcontextprotocol/server';
export {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
export { registry, toJSONSchema } from 'zod/mini';
