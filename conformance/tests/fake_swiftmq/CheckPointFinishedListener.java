// SPDX-License-Identifier: Apache-2.0
package com.swiftmq.impl.store.standard.log;

/** As the product has it. */
public interface CheckPointFinishedListener {
    void checkpointFinished();
}
