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

/** Marks a route or a tool that only staff may use. Such a tool is hidden from all other clients. */
export const StaffOnly = (): CustomDecorator => SetMetadata(STAFF_ONLY, true);

/** Allows routes and tools with `@StaffOnly()` only for staff, and allows all others for everybody. */
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
