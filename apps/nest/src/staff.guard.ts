import {
  type CanActivate,
  type CustomDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ShopRequest } from './staff-login.js';

const STAFF_ONLY = 'staff-only';

/** For routes and tools that only staff may use. Others do not see such a tool. */
export const StaffOnly = (): CustomDecorator => SetMetadata(STAFF_ONLY, true);

/** Asks of every route and every tool whether it is for staff only. */
@Injectable()
export class StaffGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const places = [context.getHandler(), context.getClass()];
    if (!this.reflector.getAllAndOverride<boolean>(STAFF_ONLY, places)) return true;
    const { user } = context.switchToHttp().getRequest<ShopRequest>();
    return user?.roles.includes('staff') ?? false;
  }
}
