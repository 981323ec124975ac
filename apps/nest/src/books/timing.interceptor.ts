import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import { finalize, type Observable } from 'rxjs';

/** Logs how long a handler took. It works for routes and for tools. */
@Injectable()
export class Timing implements NestInterceptor {
  readonly #logger = new Logger(Timing.name);

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const start = performance.now();
    const { name } = context.getHandler();
    return next
      .handle()
      .pipe(finalize(() => this.#logger.debug(`${name} took ${Math.round(performance.now() - start)} ms`)));
  }
}
