import { Arg, ProtocolError, Service, Tool, ToolError } from '@sigil/core';

/** Tools that fail in three ways: with a tool error, with a JSON-RPC error, and unexpectedly. */
@Service()
export class FailingTools {
  @Tool({ description: 'Fails with a text for the model' })
  testErrorHandling(): never {
    throw new ToolError('This tool intentionally returns an error for testing');
  }

  @Tool({ description: 'Fails with a JSON-RPC error that has the given code' })
  failProtocol(@Arg('code', { type: 'integer', default: 4001 }) code: number): never {
    throw new ProtocolError(code, 'This tool answers with an error response', { tool: 'fail_protocol' });
  }

  @Tool({ description: 'Fails unexpectedly: the details are in the log, but not in the response' })
  failUnexpectedly(): never {
    throw new Error('connection to postgres://admin@db refused');
  }
}
