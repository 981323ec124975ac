/**
 * The runtime of Lambda for Node, as far as HTTP events need it: asks the Runtime API for one event after the other, and posts what the
 * function makes of it, in one piece or as a stream (docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html).
 */
import { request } from 'node:http';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const api = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;
const STREAMS = Symbol.for('aws.lambda.runtime.handler.streaming');

globalThis.awslambda = {
  streamifyResponse: (handler) => Object.assign(handler, { [STREAMS]: true }),
  HttpResponseStream: {
    from(stream, head) {
      stream.head = head;
      return stream;
    },
  },
};

/** The response of an event, whose head is sent with its first piece. */
class ResponseStream extends Writable {
  constructor(id) {
    super();
    this.id = id;
    this.answered = new Promise((resolve) => (this.resolve = resolve));
  }

  begin() {
    if (this.post) return;
    const headers = {
      'Lambda-Runtime-Function-Response-Mode': 'streaming',
      'Transfer-Encoding': 'chunked',
      'Content-Type': this.head
        ? 'application/vnd.awslambda.http-integration-response'
        : 'application/octet-stream',
    };
    this.post = request(`${api}/invocation/${this.id}/response`, { method: 'POST', headers }, (response) =>
      response.resume().on('end', this.resolve),
    );
    if (this.head) this.post.write(Buffer.concat([Buffer.from(JSON.stringify(this.head)), Buffer.alloc(8)]));
  }

  _write(chunk, _encoding, done) {
    this.begin();
    if (chunk.length > 0) this.post.write(chunk);
    done();
  }

  _final(done) {
    // Without a first piece Lambda sends no head.
    if (!this.post) this.head = undefined;
    this.begin();
    this.post.end(done);
  }
}

const { handler } = await import(pathToFileURL(process.env._HANDLER).href);

for (;;) {
  const next = await fetch(`${api}/invocation/next`);
  const id = next.headers.get('lambda-runtime-aws-request-id');
  const deadline = Number(next.headers.get('lambda-runtime-deadline-ms'));
  const context = { awsRequestId: id, getRemainingTimeInMillis: () => deadline - Date.now() };
  const event = await next.json();
  try {
    if (handler[STREAMS]) {
      const stream = new ResponseStream(id);
      await handler(event, stream, context);
      if (!stream.writableEnded) stream.end();
      await stream.answered;
    } else {
      const body = JSON.stringify(await handler(event, context));
      await fetch(`${api}/invocation/${id}/response`, { method: 'POST', body });
    }
  } catch (error) {
    const body = JSON.stringify({ errorType: error.name, errorMessage: error.message });
    await fetch(`${api}/invocation/${id}/error`, { method: 'POST', body });
  }
}
