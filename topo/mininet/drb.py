# SPDX-License-Identifier: BSD-3-Clause
"""Fat-trees of drbswitch processes in Mininet, without a controller and without Open vSwitch:

    sudo mn --custom drb.py --topo fattree,3,2 --switch drb
    sudo mn --custom drb.py --topo fattree,3,2,bw=100 --switch drb,scheme=walk --test pingall

and in scripts:

    from drb import DrbSwitch, FatTreeTopo
    net = Mininet(topo=FatTreeTopo(3, 2, bw=100), switch=DrbSwitch, controller=None)
"""

import os
import sys

# mn runs this file without setting __file__.
_here = os.path.dirname(os.path.realpath(sys._getframe().f_code.co_filename))
sys.dont_write_bytecode = True
sys.path.append(os.path.dirname(_here))

from drbfabric.mininet.nodes import DrbSwitch, FatTreeTopo, findController  # noqa: E402, F401

topos = {'fattree': FatTreeTopo}
switches = {'drb': DrbSwitch}
